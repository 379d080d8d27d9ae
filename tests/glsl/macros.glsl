#ifndef ONCE
#define ONCE
#define INCLUDED(x) included(x)
int included(int x) { return x * x; }
#include "macros.glsl"
#endif
