import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PodSpec } from "@purser/kubernetes/apis/core";
import type { SubscriptionConfig } from "../../apis/v0/subscription.ts";
import { overridePodTemplate } from "./pod-overrides.ts";

function overridden(container: object, config: object, family: "v0" | "v1"): unknown {
  const spec = { containers: [{ name: "manager", image: "i", ...container }] };
  const template = overridePodTemplate({ spec: spec as unknown as PodSpec }, config as SubscriptionConfig, family);
  return template.spec?.containers[0];
}

const mount = (name: string, mountPath: string): object => ({ name, mountPath });
const variable = (name: string, value: string): object => ({ name, value });

describe("what a name stands for that several entries have", () => {
  const cases: readonly {
    readonly title: string;
    readonly held: object;
    readonly config: object;
    readonly v0: object;
    readonly v1: object;
  }[] = [
    {
      title: "two mounts of one volume are both added where the container has none of it",
      held: {},
      config: { volumeMounts: [mount("data", "/a"), mount("data", "/b")] },
      v0: { volumeMounts: [mount("data", "/a"), mount("data", "/b")] },
      v1: { volumeMounts: [mount("data", "/a"), mount("data", "/b")] },
    },
    {
      title: "of two mounts that a container has, v0 replaces the first and v1 the last",
      held: { volumeMounts: [mount("data", "/a"), mount("data", "/b")] },
      config: { volumeMounts: [mount("data", "/c")] },
      v0: { volumeMounts: [mount("data", "/c"), mount("data", "/b")] },
      v1: { volumeMounts: [mount("data", "/a"), mount("data", "/c")] },
    },
    {
      title: "two new variables of a name: v0 gives both the last value, v1 each its own",
      held: { env: [variable("B", "b")] },
      config: { env: [variable("A", "1"), variable("A", "2")] },
      v0: { env: [variable("B", "b"), variable("A", "2"), variable("A", "2")] },
      v1: { env: [variable("B", "b"), variable("A", "1"), variable("A", "2")] },
    },
    {
      title: "a variable that a container has twice: v0 replaces both, v1 the last",
      held: { env: [variable("A", "old"), variable("B", "b"), variable("A", "older")] },
      config: { env: [variable("A", "new")] },
      v0: { env: [variable("A", "new"), variable("B", "b"), variable("A", "new")] },
      v1: { env: [variable("A", "old"), variable("B", "b"), variable("A", "new")] },
    },
    {
      title: "a source of variables that is given twice: v0 adds it twice, v1 once; neither adds one that is held",
      held: { envFrom: [{ prefix: "H" }] },
      config: { envFrom: [{ prefix: "P" }, { prefix: "P" }, { prefix: "H" }] },
      v0: { envFrom: [{ prefix: "H" }, { prefix: "P" }, { prefix: "P" }] },
      v1: { envFrom: [{ prefix: "H" }, { prefix: "P" }] },
    },
  ];
  for (const { title, held, config, v0, v1 } of cases) {
    test(title, () => {
      assert.deepEqual(overridden(held, config, "v0"), { name: "manager", image: "i", ...v0 });
      assert.deepEqual(overridden(held, config, "v1"), { name: "manager", image: "i", ...v1 });
    });
  }
});

test("a pod without containers keeps their absence, and takes the rest of the settings", () => {
  const spec = { containers: null } as unknown as PodSpec;
  const { spec: given } = overridePodTemplate({ spec }, { nodeSelector: { os: "linux" } }, "v1");
  assert.deepEqual(given, { containers: null, nodeSelector: { os: "linux" } });
});
