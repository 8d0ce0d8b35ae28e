"""MJCF's actuators as motors of joints: forces gain u + bias, at the control u = 0, or as near to that as it may be."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from engine.importing.mjcf_remarks import Lines
from engine.scene.joints import Motor


def read_motors(library: ModuleType, model: Any, lines: Lines) -> dict[int, Motor]:
    """Motors by joint; what cannot be one is remarked."""
    motors: dict[int, Motor] = {}
    for i in range(model.nu):
        name = library.mj_id2name(model, library.mjtObj.mjOBJ_ACTUATOR, i) or f"actuator {i}"

        def say(text: str, i: int = i, name: str = name) -> None:
            lines.say(lines.nth("actuator", i), "actuator", f'"{name}" {text}')

        on = library.mjtTrn(int(model.actuator_trntype[i]))
        if on not in (library.mjtTrn.mjTRN_JOINT, library.mjtTrn.mjTRN_JOINTINPARENT):
            kind = on.name.removeprefix("mjTRN_").lower()
            say(f"is left out: it acts on a {kind}, not along a joint")
            continue
        joint = int(model.actuator_trnid[i][0])
        if int(model.jnt_type[joint]) < 2:
            say("is left out: it acts on a ball or free joint")
            continue
        motor = _motor(library, model, i, joint, say)
        if motor is not None and joint in motors:
            both = _both(motors[joint], motor)
            if both is None:
                say("is left out: its joint has another motor")
            motor = both or motors[joint]
        if motor is not None:
            motors[joint] = motor
    return motors


def _motor(library: ModuleType, model: Any, i: int, joint: int, say: Any) -> Motor | None:
    gain, gear = float(model.actuator_gainprm[i][0]), float(model.actuator_gear[i][0])
    constant, by_length, by_speed = (float(value) for value in model.actuator_biasprm[i][:3])
    affine = int(model.actuator_biastype[i]) == int(library.mjtBias.mjBIAS_AFFINE)
    if int(model.actuator_gaintype[i]) != int(library.mjtGain.mjGAIN_FIXED) or gear == 0.0:
        say("is left out: its gain is not constant")
        return None
    if not affine:
        say("is left out: it bears what a control says, and there is none")
        return None
    if int(model.actuator_dyntype[i]) != int(library.mjtDyn.mjDYN_NONE):
        say("loses its dynamics: it acts at once")
    low, high = (float(bound) for bound in model.actuator_ctrlrange[i])
    control = min(max(0.0, low), high) if model.actuator_ctrllimited[i] else 0.0
    zero = float(model.qpos0[model.jnt_qposadr[joint]])
    data: dict[str, object] = {"kv": max(0.0, -by_speed * gear**2), "limit": _limit(model, i, joint, abs(gear))}
    if by_length < 0.0:
        # gear (gain u + constant + by_length gear q + by_speed gear q') = kp (target - q) - kv q'
        target = (gain * control + constant) / (-by_length * gear)
        data |= {"kp": -by_length * gear**2, "position": target - zero}
    elif by_speed < 0.0 and by_length == 0.0:
        data["velocity"] = (gain * control + constant) / (-by_speed * gear)
    else:
        say("is left out: it seeks neither a position nor a velocity")
        return None
    _say_lost(model, i, joint, by_speed, say)
    say(f"holds {'position' if by_length < 0.0 else 'velocity'} for the control {control:g}: nothing changes that")
    return Motor.model_validate(data)


def _say_lost(model: Any, i: int, joint: int, by_speed: float, say: Any) -> None:
    """Says what an actuator has in MuJoCo, and no motor of a scene."""
    if by_speed > 0.0:
        say(f"loses its bias of {by_speed:g} by speed: a motor brakes, and does not drive on")
    if damping := float(getattr(model, "actuator_damping", [0.0] * model.nu)[i]):
        say(f"loses its damping of {damping:g}: only joints have one")
    for name, limited, bounds in (
        ("forcerange", model.actuator_forcelimited[i], model.actuator_forcerange[i]),
        ("actuatorfrcrange", model.jnt_actfrclimited[joint], model.jnt_actfrcrange[joint]),
    ):
        low, high = (float(bound) for bound in bounds)
        if limited and low != -high:
            say(f"loses its {name} of {low:g} to {high:g}: it bears up to {max(-low, high):g} in both directions")


def _limit(model: Any, i: int, joint: int, gear: float) -> float | None:
    bounds = []
    if model.actuator_forcelimited[i]:
        bounds.append(gear * max(abs(float(bound)) for bound in model.actuator_forcerange[i]))
    if model.jnt_actfrclimited[joint]:
        bounds.append(max(abs(float(bound)) for bound in model.jnt_actfrcrange[joint]))
    return min(bounds) if bounds and min(bounds) > 0.0 else None


def _both(one: Motor, other: Motor) -> Motor | None:
    """A motor of position and one that brakes, as one; None if they are of another kind."""
    held, brake = (one, other) if one.position is not None else (other, one)
    if held.position is None or brake.velocity != 0.0 or brake.limit is not None or held.limit is not None:
        return None
    return held.model_copy(update={"kv": held.kv + brake.kv})
