// Half a step of noise, so that dark gradients show no bands (Jimenez, "interleaved gradient noise").
vec3 dither(vec3 colour) {
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    return colour + (noise - 0.5) / 255.0;
}
