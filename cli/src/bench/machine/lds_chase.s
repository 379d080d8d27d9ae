; s[0:1] result, s2 rounds. Each of 1024 cells holds the number of the one 331 further on.
  v_mov_b32 v1, v0
fill:
  v_add_nc_u32 v2, 0x14b, v1
  v_and_b32 v2, 0x3ff, v2
  v_lshlrev_b32 v3, 2, v1
  ds_write_b32 v3, v2
  v_add_nc_u32 v1, 32, v1
  v_cmp_gt_u32 vcc_lo, 0x400, v1
  s_cbranch_vccnz fill
  s_waitcnt lgkmcnt(0)
  s_mov_b32 exec_lo, 1
  v_mov_b32 v1, 0
  s_memtime s[8:9]
  s_waitcnt lgkmcnt(0)
round:
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  ds_read_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v1
  s_sub_i32 s2, s2, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 round
  s_memtime s[10:11]
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s10, s10, s8
  v_mov_b32 v2, s10
  v_mov_b32 v3, 0
  global_store_dword v3, v2, s[0:1]
  s_endpgm
