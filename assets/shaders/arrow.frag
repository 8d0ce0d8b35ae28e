varying vec3 v_normal;
#ifdef TINTED
varying vec3 v_tint;
#endif
uniform vec4 u_colour;
uniform vec3 u_lamp;

void main() {
    float light = 0.80 + 0.28 * dot(normalize(v_normal), u_lamp);
    vec3 colour = u_colour.rgb * light;
#ifdef TINTED
    colour *= v_tint;
#endif
    gl_FragColor = vec4(colour, u_colour.a);
}
