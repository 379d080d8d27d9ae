//! Faces of a cube: 0..=5 are +X, −X, +Y, −Y, +Z, −Z, with the axes of Vulkan's and Direct3D's cube maps.

/// What s, t and the face's axis are in x, y, z: (axis, sign).
pub const FACES: [[(usize, i64); 3]; 6] = [
    [(2, -1), (1, -1), (0, 1)],
    [(2, 1), (1, -1), (0, -1)],
    [(0, 1), (2, 1), (1, 1)],
    [(0, 1), (2, -1), (1, -1)],
    [(0, 1), (1, -1), (2, 1)],
    [(0, -1), (1, -1), (2, -1)],
];

/// The face that an axis and sign belong to.
fn face_of(axis: usize, negative: bool) -> usize {
    2 * axis + usize::from(negative)
}

/// The texel of a face of `n` × `n` texels, where (x, y) may lie past one edge, on the neighbouring face. `None`: past two
/// edges, where there is no texel.
pub fn across(face: usize, x: i64, y: i64, n: i64) -> Option<(usize, u32, u32)> {
    let inside = |v: i64| (0..n).contains(&v);
    if inside(x) && inside(y) {
        return Some((face, x as u32, y as u32));
    }
    if !inside(x) && !inside(y) {
        return None;
    }
    // Twice the distance of texel centres from the face's middle; the face itself is `n` from the cube's.
    let (s, t) = (2 * x.clamp(-n, 2 * n - 1) + 1 - n, 2 * y.clamp(-n, 2 * n - 1) + 1 - n);
    let axes = FACES[face % 6];
    let mut p = [0; 3];
    let fold = |v: i64| 2 * n - v.abs();
    let (s, t, m) = if s.abs() > n { (s.signum() * n, t, fold(s)) } else { (s, t.signum() * n, fold(t)) };
    for (value, (axis, sign)) in [s, t, m].into_iter().zip(axes) {
        p[axis] = sign * value;
    }
    let axis = (0..3).find(|&a| p[a].abs() == n)?;
    let to = face_of(axis, p[axis] < 0);
    let [(sa, ss), (ta, ts), _] = FACES[to];
    let back = |v: i64| ((v + n - 1) / 2) as u32;
    Some((to, back(ss * p[sa]), back(ts * p[ta])))
}

/// (s, t) of a face point on the plane of `onto`, both in −1..1 on the face; `None` if it lies on or behind the horizon.
pub fn project(face: usize, st: [f32; 2], onto: usize) -> Option<[f32; 2]> {
    let mut p = [0f32; 3];
    for (value, (axis, sign)) in [st[0], st[1], 1.0].into_iter().zip(FACES[face % 6]) {
        p[axis] = sign as f32 * value;
    }
    let [s, t, m] = FACES[onto % 6].map(|(axis, sign)| sign as f32 * p[axis]);
    (m > 0.0).then(|| [s / m, t / m])
}

/// The face that a point of a face's plane lies over, and where on it; coordinates are 0..1 across a face.
pub(super) fn select(face: usize, at: [f32; 2]) -> (usize, [f32; 2]) {
    let st = at.map(|v| 2.0 * v - 1.0);
    if st.iter().all(|v| v.abs() <= 1.0) {
        return (face, at);
    }
    let [(sa, ss), (ta, ts), _] = FACES[face % 6];
    let (axis, negative) = match st[0].abs() >= st[1].abs() {
        true => (sa, (st[0] < 0.0) != (ss < 0)),
        false => (ta, (st[1] < 0.0) != (ts < 0)),
    };
    let to = face_of(axis, negative);
    match project(face, st, to) {
        Some(p) => (to, p.map(|v| (v + 1.0) / 2.0)),
        None => (face, at),
    }
}
