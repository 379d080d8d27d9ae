; s[0:1] result, s[2:3] cells, s4 rounds. A cell holds the distance of the next from the first. One round fills the cache.
  s_mov_b32 s5, 0
  s_mov_b32 s6, 64
fill:
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_sub_i32 s6, s6, 1
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 fill
  s_memtime s[8:9]
  s_waitcnt lgkmcnt(0)
round:
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_load_dword s5, s[2:3], s5
  s_waitcnt lgkmcnt(0)
  s_sub_i32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 round
  s_memtime s[10:11]
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s10, s10, s8
  v_mov_b32 v2, s10
  v_mov_b32 v3, 0
  global_store_dword v3, v2, s[0:1]
  s_endpgm
