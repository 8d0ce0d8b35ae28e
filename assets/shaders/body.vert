// Bodies, one instance each: the mesh, scaled, turned and placed.
attribute vec3 a_position;
attribute vec3 a_normal;
attribute vec3 i_place;
attribute vec4 i_turn;
attribute vec3 i_scale;
attribute vec3 i_colour;
uniform mat4 u_view_projection;
varying vec3 v_world;
varying vec3 v_normal;
varying vec3 v_colour;
#ifdef PATTERN
varying vec3 v_local;
#endif
#if defined(LOOK) && LOOK == 3
attribute vec3 i_extent;
attribute vec2 i_number;
varying vec4 v_grain;
#endif
#include "turn.glsl"

void main() {
    vec3 world = i_place + turn(i_turn, a_position * i_scale);
    v_world = world;
    v_normal = turn(i_turn, a_normal / i_scale);
    v_colour = i_colour;
#ifdef PATTERN
    v_local = a_position;
#endif
#if defined(LOOK) && LOOK == 3
    // The longest side lies along z of the trunk, which is as thick as the other two are on the geometric mean.
    vec3 at = a_position * i_scale;
    vec3 e = i_extent;
    if (e.x > e.y && e.x > e.z) { at = at.yzx; e = e.yzx; }
    else if (e.y > e.z) { at = at.zxy; e = e.zxy; }
    v_grain = vec4(at / max(1.4 * sqrt(e.x * e.y), 1e-9), i_number.x * 2.0 + i_number.y);
#endif
    gl_Position = u_view_projection * vec4(world, 1.0);
}
