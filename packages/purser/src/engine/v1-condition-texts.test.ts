import assert from "node:assert/strict";
import { test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { clusterExtensions } from "../apis/olm-resources.ts";
import { parseCompat } from "../compat.ts";
import { World } from "./testing/world.ts";

const key = { name: "logbook-db" };
const upstream = 'no bundles found for package "logbook-db" matching version "9.0.0"';

for (const [claim, switches, starts] of [
  ["without --compat=condition-texts a refused extension shows the cause, then OLM's text", "", "VersionNotFound: "],
  ["with --compat=condition-texts a refused extension shows OLM's text alone", "condition-texts", upstream],
  ["with --compat=strict too", "strict", upstream],
] as const)
  test(claim, async (context) => {
    const compat = parseCompat(switches);
    assert.ok(compat.ok);
    const world = await World.open({ compat: compat.value });
    context.after(() => world.stop());
    await world.extend(key.name, "9.0.0");
    const refused = await world.reaches(clusterExtensions, key, "refused", ({ status }) =>
      (findCondition(status?.conditions, "Progressing")?.message ?? "").includes(upstream),
    );
    const message = findCondition(refused.status?.conditions, "Progressing")?.message ?? "";
    assert.ok(message.startsWith(starts) && message.endsWith(upstream), message);
  });
