// Bodies as the lamp sees them: depth only.
attribute vec3 a_position;
attribute vec3 i_place;
attribute vec4 i_turn;
attribute vec3 i_scale;
uniform mat4 u_shadow_matrix;
#include "turn.glsl"

void main() {
    gl_Position = u_shadow_matrix * vec4(i_place + turn(i_turn, a_position * i_scale), 1.0);
}
