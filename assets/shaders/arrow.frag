varying vec3 v_normal;
uniform vec4 u_colour;
uniform vec3 u_lamp;

void main() {
    float light = 0.80 + 0.28 * dot(normalize(v_normal), u_lamp);
    gl_FragColor = vec4(u_colour.rgb * light, u_colour.a);
}
