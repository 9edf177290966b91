"""The PPO loss and the masked distribution, on cases worked out by hand."""

from math import log

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from seven_rocks_agents.masked import entropy, masked_log_probs, sample  # noqa: E402
from seven_rocks_agents.ppo import Samples, anneal, ppo_losses  # noqa: E402


def two_decisions():
    """Ratios 1.5 and 0.5, the first action of three legal in one row, all in the other."""
    logits = torch.tensor([[log(1.0), log(3.0), 5.0], [0.0, 0.0, 0.0]], requires_grad=True)
    values = torch.tensor([1.0, 0.0], requires_grad=True)
    samples = Samples(
        observations=torch.zeros((2, 0), dtype=torch.int8),
        action_masks=torch.tensor([[True, True, False], [True, True, True]]),
        actions=torch.tensor([1, 0]),
        log_probs=torch.tensor([log(1 / 2), log(2 / 3)]),
        advantages=torch.tensor([2.0, -1.0]),
        returns=torch.tensor([0.0, 2.0]),
    )
    return logits, values, samples


def test_losses_of_two_decisions():
    logits, values, samples = two_decisions()
    losses = ppo_losses(
        logits, values, samples, clip_range=0.2, value_coefficient=0.5, entropy_coefficient=0.01
    )
    # The first ratio, 1.5, pays only as 1.2; the second, 0.5, is charged as 0.8.
    assert losses.policy_loss.item() == pytest.approx(-(1.2 * 2 - 0.8 * 1) / 2)
    assert losses.value_loss.item() == pytest.approx((1 + 4) / 2 / 2)
    assert losses.entropy.item() == pytest.approx((0.5623351446 + 1.0986122887) / 2)
    assert losses.kl.item() == pytest.approx((0.0945348919 + 0.1931471806) / 2)
    assert losses.clip_fraction.item() == 1
    assert losses.total.item() == pytest.approx(-0.8 + 0.5 * 1.25 - 0.01 * 0.8304737166)


def test_a_clipped_ratio_has_no_policy_gradient():
    logits, values, samples = two_decisions()
    losses = ppo_losses(logits, values, samples, 0.2, 0.5, 0.0)
    losses.total.backward()
    assert logits.grad.abs().max() == 0
    assert values.grad.tolist() == pytest.approx([0.25, -0.5])


def test_a_ratio_inside_the_clip_range_has_one():
    logits, values, samples = two_decisions()
    losses = ppo_losses(logits, values, samples, 0.6, 0.5, 0.0)
    losses.total.backward()
    assert losses.clip_fraction.item() == 0
    # Of -mean(ratio * advantage): -1.5 * 2 / 2 * (chosen - p), and 0.5 * 1 / 2 * (chosen - p).
    assert logits.grad[0].tolist() == pytest.approx([0.375, -0.375, 0.0])
    assert logits.grad[1].tolist() == pytest.approx([1 / 6, -1 / 12, -1 / 12])


def test_illegal_actions_have_no_probability_and_no_gradient():
    logits = torch.tensor([[1.0, 2.0, 80.0, -80.0]], requires_grad=True)
    mask = torch.tensor([[True, True, False, False]])
    log_probs = masked_log_probs(logits, mask)
    assert log_probs.exp()[0, 2:].tolist() == [0.0, 0.0]
    assert log_probs.exp().sum().item() == pytest.approx(1)
    (entropy(log_probs).sum() + log_probs[0, 0]).backward()
    assert logits.grad[0, 2:].tolist() == [0.0, 0.0]
    assert torch.isfinite(logits.grad).all()
    assert logits.grad[0, :2].abs().min() > 0


def test_entropy_counts_legal_actions_only():
    logits = torch.tensor([[3.0, 3.0, 3.0, 9.0], [9.0, 1.0, 1.0, 1.0]])
    mask = torch.tensor([[True, True, True, False], [True, False, False, False]])
    assert entropy(masked_log_probs(logits, mask)).tolist() == pytest.approx([log(3), 0.0])


def test_samples_follow_the_probabilities_and_are_legal():
    probabilities = torch.tensor([0.0, 0.1, 0.0, 0.6, 0.3, 0.0])
    mask = probabilities > 0
    logits = torch.where(mask, probabilities.log(), torch.tensor(50.0))
    log_probs = masked_log_probs(logits.expand(20_000, -1), mask.expand(20_000, -1))
    uniform = torch.from_numpy(np.random.default_rng(0).random(20_000, np.float32))
    counts = torch.bincount(sample(log_probs, uniform), minlength=6)
    assert counts[~mask].sum() == 0
    assert (counts / 20_000).tolist() == pytest.approx(probabilities.tolist(), abs=0.015)


@pytest.mark.parametrize("uniform", [0.0, 1 - 2**-24])
def test_extreme_random_numbers_still_give_legal_actions(uniform):
    rng = np.random.default_rng(0)
    logits = torch.from_numpy(rng.normal(0, 5, (2000, 113)).astype(np.float32))
    mask = torch.from_numpy(rng.random((2000, 113)) < 0.03)
    mask[:, 50] = True
    actions = sample(masked_log_probs(logits, mask), torch.full((2000,), uniform))
    assert mask[torch.arange(2000), actions].all()


def test_annealing_is_linear():
    assert [anneal(1.0, 0.2, part) for part in (0, 0.25, 1)] == pytest.approx([1.0, 0.8, 0.2])
