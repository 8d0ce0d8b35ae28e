// Bodies as facts about what the camera sees: the normal in the camera's axes and the body's number.
attribute vec3 a_position;
attribute vec3 a_normal;
attribute vec3 i_place;
attribute vec4 i_turn;
attribute vec3 i_scale;
attribute vec2 i_number;  // of the body, in two parts of 0..1
uniform mat4 u_view_projection;
uniform mat4 u_view;
varying vec3 v_facing;
varying vec2 v_number;
#include "turn.glsl"

void main() {
    v_facing = (u_view * vec4(turn(i_turn, a_normal / i_scale), 0.0)).xyz;
    v_number = i_number;
    gl_Position = u_view_projection * vec4(i_place + turn(i_turn, a_position * i_scale), 1.0);
}
