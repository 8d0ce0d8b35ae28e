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
#include "turn.glsl"

void main() {
    vec3 world = i_place + turn(i_turn, a_position * i_scale);
    v_world = world;
    v_normal = turn(i_turn, a_normal / i_scale);
    v_colour = i_colour;
#ifdef PATTERN
    v_local = a_position;
#endif
    gl_Position = u_view_projection * vec4(world, 1.0);
}
