// What surrounds a pixel: x, how open it is, 0..1; y, how much of an edge between two bodies it is.
#ifdef AMBIENT
uniform sampler2D u_ambient;
uniform vec2 u_texel;
uniform float u_edge;  // how much light an edge takes
vec2 surroundings() { return texture2D(u_ambient, gl_FragCoord.xy * u_texel).rg * vec2(1.0, u_edge); }
#else
vec2 surroundings() { return vec2(1.0, 0.0); }
#endif
