; s[0:1] result, s[2:3] base, s[4:5] first cell, s6 bytes of the region less one, s7 steps.
  v_lshlrev_b32 v2, 7, v0
  s_mov_b32 s8, 0
walk:
  v_add_nc_u32 v3, s8, v2
  v_and_b32 v3, s6, v3
  global_load_dword v4, v3, s[2:3]
  s_addk_i32 s8, 4096
  s_cmp_le_u32 s8, s6
  s_cbranch_scc1 walk
  s_waitcnt vmcnt(0)
  s_mov_b32 exec_lo, 1
  v_mov_b32 v0, s4
  v_mov_b32 v1, s5
  s_memtime s[8:9]
  s_waitcnt lgkmcnt(0)
step:
  global_load_dwordx2 v[2:3], v[0:1], off
  s_sub_i32 s7, s7, 1
  s_cmp_lg_u32 s7, 0
  s_waitcnt vmcnt(0)
  v_add_co_u32 v0, vcc_lo, s2, v2
  v_add_co_ci_u32 v1, vcc_lo, s3, v3, vcc_lo
  s_cbranch_scc1 step
  s_memtime s[10:11]
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s10, s10, s8
  v_mov_b32 v2, s10
  v_mov_b32 v3, 0
  global_store_dword v3, v2, s[0:1]
  s_endpgm
