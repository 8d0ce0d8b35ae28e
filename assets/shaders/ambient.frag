// Red: how open each pixel is, from the four places about it of half the size that lie on its surface. Green: whether
// two bodies meet there (Roberts' cross of their numbers, which softens slanted edges by itself).
#include "facts.glsl"
uniform sampler2D u_open;
uniform vec2 u_half_texel;
uniform float u_reach;
uniform float u_edge_step;  // pixels that an edge is wide

float differ(vec2 a, vec2 b) {
    // Planes, of number (1, 1), and nothing, of (0, 0), have no edges.
    float bodies = step(1e-3, a.x + a.y) * step(1e-3, b.x + b.y) * step(a.x + a.y, 1.999) * step(b.x + b.y, 1.999);
    vec2 off = abs(a - b);
    return bodies * step(1e-3, off.x + off.y);
}

void main() {
    vec2 here = gl_FragCoord.xy * u_texel;
    vec4 facts = texture2D(u_facts, here);
    if (facts.b + facts.a == 0.0) {
        gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
        return;
    }
    vec3 at = point_at(here);
    vec3 normal = normal_of(facts);
    vec2 place = gl_FragCoord.xy * 0.5 - 0.25 - 0.5;
    vec2 cell = floor(place);
    vec2 share = place - cell;
    float sum = 0.0, weight = 0.0;
    for (int y = 0; y < 2; y++) {
        for (int x = 0; x < 2; x++) {
            vec2 corner = vec2(float(x), float(y));
            vec2 other = max(cell + corner, 0.0);
            vec2 linear = mix(1.0 - share, share, corner);
            float off = abs(dot(point_at((other * 2.0 + 0.5) * u_texel) - at, normal));
            float w = linear.x * linear.y * clamp(1.0 - 5.0 * off / u_reach, 0.0, 1.0) + 1e-4;
            sum += w * texture2D(u_open, (other + 0.5) * u_half_texel).r;
            weight += w;
        }
    }
    vec2 side = u_edge_step * u_texel;
    vec2 right = texture2D(u_facts, here + vec2(side.x, 0.0)).ba;
    vec2 up = texture2D(u_facts, here + vec2(0.0, side.y)).ba;
    vec2 across = texture2D(u_facts, here + side).ba;
    float edge = 0.5 * (differ(facts.ba, across) + differ(right, up));
    gl_FragColor = vec4(sum / weight, edge, 0.0, 1.0);
}
