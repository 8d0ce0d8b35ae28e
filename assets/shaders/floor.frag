// Colours here are stored ones: the two that the floor can have, in light and in shadow, come developed.
varying vec2 v_plane;
varying vec3 v_world;
uniform vec2 u_centre;
uniform float u_reach;
uniform float u_cell;       // spacing of the fine lines, metres
uniform float u_blend;      // 0: fine lines show fully, 1: only every tenth
uniform vec3 u_grid;
uniform float u_strength;   // of the grid
uniform vec3 u_normal;
uniform vec3 u_lamp;
#include "shadow.glsl"
#ifdef SOLID
uniform vec3 u_lit;
uniform vec3 u_dark;
uniform float u_opacity;
#include "gradient.glsl"
#include "noise.glsl"
#include "ambient.glsl"
#endif

// How much of a pixel lines of one pixel's width cover, one line a unit; nothing where they would flicker.
float lines(vec2 at, vec2 width) {
    vec2 near = abs(fract(at - 0.5) - 0.5) / width;
    vec2 cover = (1.0 - clamp(near - 0.15, 0.0, 1.0)) * clamp(1.6 - 3.0 * width, 0.0, 1.0);
    return max(cover.x, cover.y);
}

#ifdef SOLID
// Squares of two tones, exactly averaged over the pixel (Quilez, "filtering procedurals").
float squares(vec2 at, vec2 width) {
    vec2 wave = 2.0 * (abs(fract((at - 0.5 * width) * 0.5) - 0.5) - abs(fract((at + 0.5 * width) * 0.5) - 0.5)) / width;
    return 0.5 - 0.5 * wave.x * wave.y;
}
#endif

void main() {
    float away = min(length(v_plane - u_centre) / u_reach, 1.0);
    float fade = 1.0 - away;
    fade *= fade * fade;
    vec2 cells = v_plane / u_cell;
    vec2 width = max(fwidth(cells), 1e-6);
    float fine = lines(cells, width);
    float coarse = lines(cells * 0.1, width * 0.1);
    float grid = u_strength * max(fine * 0.5 * (1.0 - u_blend), coarse * (1.0 - 0.5 * u_blend));
#ifdef SOLID
    float check = squares(cells * 0.1, width * 0.1) - 0.5;
    float open = surroundings().x;
    vec3 colour = mix(u_dark, u_lit, lamp_share(v_world, u_normal) * mix(1.0, open, 0.4));
    colour = sqrt(max(colour * colour - u_dark * u_dark * (1.0 - open), 0.0));  // stored colours are roots of light
    colour *= 1.0 + 0.07 * check;
    colour = mix(colour, u_grid, grid);
    gl_FragColor = vec4(dither(mix(background(), colour, fade)), u_opacity);
#else
    // Nothing but lines, and the shadows that would fall there.
    grid *= fade;
    float veil = 0.5 * (1.0 - lamp_share(v_world, u_normal)) * fade;
    float cover = grid + veil * (1.0 - grid);
    gl_FragColor = vec4(u_grid * (grid / max(cover, 1e-4)), cover);
#endif
}
