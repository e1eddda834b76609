import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCompat } from "../../compat.ts";
import { defaultGates } from "../../feature-gates.ts";
import { decisionChoices, type DecisionChoices } from "./decision-choices.ts";

function choicesOf(switches: string): DecisionChoices {
  const compat = parseCompat(switches);
  assert.ok(compat.ok);
  return decisionChoices(compat.value, defaultGates);
}

test("without a switch a decision beside the cluster goes by our choices", () =>
  assert.deepEqual(choicesOf(""), {
    world: { missingCatalogs: "skip" },
    options: { reservedGroups: "refused", replacedOperators: "passedOver", plansPer: "set" },
  }));

test("with every switch a decision beside the cluster goes by the choices of OLM", () =>
  assert.deepEqual(choicesOf("strict"), {
    world: { missingCatalogs: "block", refusesDependencies: true },
    options: { reservedGroups: "accepted", replacedOperators: "orphans", plansPer: "namespace" },
  }));
