// Body vector to world by a unit quaternion stored as (w, x, y, z).
vec3 turn(vec4 q, vec3 v) {
    return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v);
}
