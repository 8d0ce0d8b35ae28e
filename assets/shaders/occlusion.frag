// How open each place is to its surroundings, at half the picture's size: SAMPLES points about it on a spiral, each of
// which counts by how high it stands over the surface there (McGuire, Mara and Luebke 2012).
#include "facts.glsl"
uniform float u_slope;   // metres a pixel at a depth of one metre
uniform float u_reach;   // metres: what is further away takes no light
uniform float u_widest;  // pixels that this may cover

void main() {
    vec2 cell = floor(gl_FragCoord.xy);
    vec2 here = (cell * 2.0 + 0.5) * u_texel;
    vec4 facts = texture2D(u_facts, here);
    if (facts.b + facts.a == 0.0) {
        gl_FragColor = vec4(1.0);
        return;
    }
    vec3 at = point_at(here);
    vec3 normal = normal_of(facts);
    float pixel = -u_slope * at.z;
    float disc = min(u_reach / pixel, u_widest);
    float reach = disc * pixel;
    cell = mod(cell, 4.0);
    float turn = 6.2832 * fract((cell.x * 4.0 + cell.y) * 0.618034);  // softened over four by four
    float closed = 0.0;
    for (int k = 0; k < SAMPLES; k++) {
        float share = (float(k) + 0.5) / float(SAMPLES);
        float angle = share * 6.2832 * 5.0 + turn;
        vec2 there = here + share * disc * vec2(cos(angle), sin(angle)) * u_texel;
        there = (floor(there / u_texel) + 0.5) * u_texel;
        vec3 way = (point_at(there) - at) / reach;
        float square = dot(way, way);
        float near = max(1.0 - square, 0.0);
        closed += near * near * near * max((dot(way, normal) - 0.02) / (square + 0.01), 0.0);
    }
    gl_FragColor = vec4(max(1.0 - 5.0 * closed / float(SAMPLES), 0.0));
}
