// One colour, denser towards the rim, so that the shape shows and what lies behind it, too.
uniform vec4 u_colour;
uniform vec3 u_eye;
varying vec3 v_world;
varying vec3 v_normal;

void main() {
    float facing = abs(dot(normalize(v_normal), normalize(u_eye - v_world)));
    float rim = 1.0 - facing;
    gl_FragColor = vec4(u_colour.rgb, u_colour.a * (0.3 + 0.7 * rim * rim));
}
