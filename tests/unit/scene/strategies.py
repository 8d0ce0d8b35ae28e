"""Any scene that the schema allows, for hypothesis. Bodies may overlap: these scenes are for reading and writing."""

from __future__ import annotations

from hypothesis import strategies as st

from engine.scene.schema import (
    MATERIAL_LOOKS,
    Attached,
    Body,
    Camera,
    Material,
    Note,
    Pair,
    Repeat,
    Scene,
    WorldSettings,
)

numbers = st.floats(-1e6, 1e6) | st.integers(-5, 5).map(float) | st.floats(-1e-300, 1e-300)
positive = st.floats(0.2, 5.0) | st.integers(1, 5).map(float)
small = st.floats(0, 1)
vectors = st.tuples(numbers, numbers, numbers)
directions = st.tuples(small, small, st.just(1.0))
names = st.from_regex(r"\w(?:[\w \-]{0,6}\w)?", fullmatch=True)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
colours = st.from_regex(r"#[0-9a-fA-F]{6}", fullmatch=True)


def maybe(strategy: st.SearchStrategy) -> st.SearchStrategy:
    return st.none() | strategy


shapes = st.one_of(
    st.fixed_dictionaries({"sphere": st.fixed_dictionaries({"radius": positive})}),
    st.fixed_dictionaries({"capsule": st.fixed_dictionaries({"radius": positive, "length": positive})}),
    st.fixed_dictionaries({"box": st.tuples(positive, positive, positive)}),
    st.just({"rounded_box": {"size": (1.0, 2.0, 3.5), "radius": 0.25}}),
    st.fixed_dictionaries({"cylinder": st.fixed_dictionaries({"radius": positive, "length": positive})}),
    st.fixed_dictionaries({"cone": st.fixed_dictionaries({"radius": positive, "height": positive})}),
    st.fixed_dictionaries({"ellipsoid": st.tuples(positive, positive, positive)}),
    st.just({"superquadric": {"size": (0.5, 0.4, 0.3), "exponents": (4.0, 2.5)}}),
    st.just({"revolved": {"profile": ((0.1, -0.5), (0.5, 0.0), (0.0, 0.5))}}),
    st.just({"convex": {"vertices": ((0.0, 0, 0), (1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))}}),
    st.fixed_dictionaries(
        {"prism": st.fixed_dictionaries({"sides": st.integers(3, 64), "radius": positive, "height": positive})}
    ),
)
_RINGS = (
    ((0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)),
    ((0.2, 0.2), (0.5, 0.2), (0.2, 0.5)),
)
concave = st.one_of(
    shapes,
    st.fixed_dictionaries({"extrusion": st.fixed_dictionaries({"rings": st.just(_RINGS), "height": positive})}),
    st.fixed_dictionaries(
        {
            "compound": st.fixed_dictionaries(
                {
                    "pieces": st.lists(
                        st.fixed_dictionaries({"shape": shapes}, optional={"position": vectors}), min_size=1, max_size=3
                    )
                }
            )
        }
    ),
)
spinners = st.fixed_dictionaries({"axis": directions, "rate": numbers}, optional={"centre": vectors})
oscillators = st.fixed_dictionaries(
    {"direction": directions, "amplitude": positive, "frequency": positive}, optional={"phase": numbers}
)
cyclers = st.fixed_dictionaries(
    {"along": vectors, "across": vectors, "frequency": numbers}, optional={"phase": numbers}
)
moves = st.tuples(small, small, small)
leans = st.tuples(st.just(1.0), small, small, small)
keyframes = st.lists(st.fixed_dictionaries({}, optional={"offset": moves, "turn": leans}), min_size=2, max_size=4).map(
    lambda keys: {"keys": [key | {"time": float(row)} for row, key in enumerate(keys)]}
)
accelerated = st.fixed_dictionaries(
    {}, optional={"velocity": vectors, "acceleration": vectors, "axis": directions, "rate": numbers, "until": positive}
)
motions = st.one_of(
    st.sampled_from(["free", "fixed"]),
    st.fixed_dictionaries({"spinner": spinners}),
    st.fixed_dictionaries({"oscillator": oscillators}),
    st.fixed_dictionaries({"cycler": cyclers}),
    st.fixed_dictionaries({"keyframes": keyframes}),
    st.fixed_dictionaries({"accelerated": accelerated}),
)
turns = st.tuples(st.just(1.0), numbers, numbers, numbers) | st.fixed_dictionaries(
    {"axis": directions, "degrees": numbers}
)
loads = vectors | st.fixed_dictionaries(
    {"keys": st.just(({"time": 0.5, "value": (1.0, 0.0, 0.0)}, {"time": 1.0, "value": (0.0, 2.0, 0.0)}))},
    optional={"axes": st.sampled_from(["world", "body"])},
)
inertias = st.one_of(
    st.just({"moments": (1.0, 2.0, 2.5), "axes": {"axis": (0.0, 1.0, 0.0), "degrees": 30.0}}),
    st.just({"tensor": ((2.0, 0.1, 0.0), (0.1, 2.0, -0.3), (0.0, -0.3, 3.0))}),
)
materials = st.builds(
    Material,
    friction=small,
    restitution=small,
    density=positive,
    static_friction=maybe(st.floats(1, 2)),
    rolling_resistance=small,
    spinning_resistance=small,
    colour=maybe(colours),
    look=st.sampled_from(MATERIAL_LOOKS),
)


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    stuff = draw(st.dictionaries(names, materials, max_size=3))
    bodies = st.builds(
        Body,
        name=names,
        shape=concave,
        motion=motions,
        material=maybe(st.sampled_from(sorted(stuff))) if stuff else st.none(),
        position=vectors,
        orientation=turns,
        velocity=vectors,
        angular_velocity=vectors,
        mass=maybe(positive),
        attached=st.lists(st.builds(Attached, mass=positive, position=vectors), max_size=2).map(tuple),
        colour=maybe(colours),
        group=maybe(names),
        force=maybe(loads),
        torque=maybe(loads),
    )
    heavy = st.builds(Body, name=names, shape=shapes, centre_of_mass=maybe(vectors), inertia=inertias)
    sleepers = st.builds(Body, name=names, shape=shapes, position=vectors, asleep=st.just(True))
    bodies = bodies | sleepers | heavy
    layouts = st.one_of(
        st.fixed_dictionaries({"grid": st.just({"count": (2, 1, 3), "spacing": (1.0, 2.0, -3.0)})}),
        st.fixed_dictionaries({"stack": st.fixed_dictionaries({"count": st.integers(1, 4), "step": vectors})}),
        st.fixed_dictionaries({"ring": st.fixed_dictionaries({"count": st.integers(1, 4), "radius": positive})}),
        st.just({"spiral": {"count": 5, "radius": 1.0, "pitch": 0.1, "spacing": 0.2}}),
        st.just({"pour": {"count": 3, "size": (1.0, 1.0, 9.0), "distance": 0.5, "seed": 7, "turned": False}}),
    )
    repeats = st.tuples(bodies, layouts).map(
        lambda pair: Repeat.model_validate(pair[0].model_dump(exclude_none=True) | pair[1])
    )
    cameras = st.builds(
        Camera,
        name=names,
        position=st.tuples(small, small, st.just(2.0)),
        target=st.tuples(small, small, small),
        fov=st.floats(1, 150),
    )
    pairs = [(a, b) for a in sorted(stuff) for b in sorted(stuff) if a <= b]
    return Scene(
        format=1,
        title=draw(texts),
        note=Note(text=draw(texts), look_for=tuple(draw(st.lists(texts, max_size=2))), source=draw(texts)),
        world=WorldSettings(
            gravity=draw(vectors), envelope=draw(maybe(st.floats(1e-6, 0.1))), until=draw(maybe(positive))
        ),
        material=stuff,
        pair=tuple(
            draw(st.builds(Pair, materials=st.just(pair), friction=maybe(small), restitution=maybe(small)))
            for pair in draw(st.lists(st.sampled_from(pairs), unique=True, max_size=2) if pairs else st.just([]))
        ),
        body=tuple(draw(st.lists(bodies, max_size=4, unique_by=lambda body: body.name))),
        repeat=tuple(draw(st.lists(repeats, max_size=2, unique_by=lambda repeat: repeat.name))),
        camera=tuple(draw(st.lists(cameras, max_size=2, unique_by=lambda camera: camera.name))),
    )
