// Bodies of another run: placed as `body.vert` does, and a little nearer, so that they win where both runs agree.
attribute vec3 a_position;
attribute vec3 a_normal;
attribute vec3 i_place;
attribute vec4 i_turn;
attribute vec3 i_scale;
uniform mat4 u_view_projection;
varying vec3 v_world;
varying vec3 v_normal;
#include "turn.glsl"

void main() {
    vec3 world = i_place + turn(i_turn, a_position * i_scale);
    v_world = world;
    v_normal = turn(i_turn, a_normal / i_scale);
    gl_Position = u_view_projection * vec4(world, 1.0);
    gl_Position.z -= 1e-5 * gl_Position.w;
}
