import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { formatFieldError } from "@purser/kubernetes/object/field-error";
import { applyMergePatch } from "@purser/kubernetes/object/patches/merge-patch";
import { exactlyEqual } from "../emptied.ts";
import { decodeAs } from "../decoding/decode.ts";
import { indexesProblem, sharedIndex } from "./job-indexes.ts";
import { jobKind } from "./job-kinds.ts";
import { allSteps } from "@purser/kubernetes/steps";
import { validateJobStatus } from "./job-status-validation.ts";
import { validateTemplateUpdate } from "./job-update.ts";
import { validateJob } from "./job-validation.ts";
import { objectAt, objectIn } from "../decoding/json-parts.ts";

const bare: JsonObject = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "j", uid: "u" },
  spec: { suspend: true, template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
};

const context = { throughStatus: false } as never;

function made(more: JsonObject = {}): JsonObject {
  const whole = applyMergePatch(bare, more);
  return jobKind.prepareCreate(jobKind.defaults(jobKind.decode(isJsonObject(whole) ? whole : bare).value), context);
}

const pod = (more: JsonObject): JsonObject => ({ spec: { template: { spec: more } } });

describe("templates of jobs", () => {
  const errors = (next: JsonObject, old: JsonObject): readonly string[] =>
    validateTemplateUpdate(objectIn(next, "spec"), old).map(({ field, detail }) => `${field}: ${detail}`);
  const job = made();
  const stopped = { ...job, status: { startTime: "2026-01-01T00:00:00Z" } };
  const suspended = { ...stopped, status: { ...stopped.status, conditions: [{ type: "Suspended", status: "True" }] } };
  const image = pod({ containers: [{ name: "c", image: "other" }] });
  const resources = pod({ containers: [{ name: "c", image: "i", resources: { limits: { cpu: "1" } } }] });
  for (const [what, old, next, expected] of [
    ["a suspended Job may change its nodeSelector", job, pod({ nodeSelector: { a: "b" } }), []],
    ["a suspended Job may change container resources", job, resources, []],
    [
      "a suspended Job may change template labels",
      job,
      { spec: { template: { metadata: { labels: { a: "b" } } } } },
      [],
    ],
    ["a suspended Job may not change the image", job, image, ["spec.template.spec: field is immutable"]],
    [
      "a started Job is immutable before its Suspended condition is set",
      stopped,
      resources,
      ["spec.template: field is immutable"],
    ],
    ["a started Job with condition Suspended may change resources", suspended, resources, []],
    [
      "a suspended Job with active pods may not change its template",
      { ...suspended, status: { ...suspended.status, active: 1 } },
      resources,
      ["spec.template: field is immutable"],
    ],
    [
      "a Job that is not suspended may not change its template",
      made({ spec: { suspend: false } }),
      resources,
      ["spec.template: field is immutable"],
    ],
  ] as const)
    test(what, () => assert.deepEqual(errors(made(next), old), expected));

  test("a refused template is quoted in its internal form", () => {
    const [error] = validateTemplateUpdate(objectIn(made(image), "spec"), job);
    assert.match(
      error?.badText ?? "",
      /^\{"Volumes":null,"InitContainers":null,"Containers":\[\{"Name":"c","Image":"other",/u,
    );
    assert.match(error?.badText ?? "", /"SecurityContext":\{"HostNetwork":false,/u);
  });
});

describe("selectors of jobs", () => {
  const errors = (more: JsonObject): readonly string[] =>
    allSteps(validateJob(made(more), undefined)).map(formatFieldError);
  const labelled = { spec: { template: { metadata: { labels: { "job-name": "other" } } } } };

  test("are generated when absent", () => assert.deepEqual(errors({}), []));
  test("require the generated labels", () =>
    assert.match(
      errors(labelled).join("\n"),
      /spec\.template\.metadata\.labels\[job-name\]: Invalid value: .*: must be 'j'/u,
    ));
  test("for another Job's pods are refused", () =>
    assert.match(
      errors({ spec: { selector: { matchLabels: { a: "b" } } } }).join("\n"),
      /`selector` not auto-generated/u,
    ));
  test("are required with manualSelector", () => {
    const own = { manualSelector: true, selector: { matchLabels: { a: "b" } } };
    assert.deepEqual(errors({ spec: { ...own, template: { metadata: { labels: { a: "b" } } } } }), []);
  });
  test("and template labels become the Job's labels when it has none", () => {
    const template = { metadata: { labels: { a: "b" } } };
    const labels = { a: "b", "job-name": "j", "controller-uid": "u" };
    assert.deepEqual(
      { ...objectAt(made({ spec: { template } }), "metadata", "labels"), ...labels },
      objectAt(made({ spec: { template } }), "spec", "template", "metadata", "labels"),
    );
    assert.deepEqual(objectAt(made(), "metadata", "labels"), {});
    assert.equal(objectAt(jobKind.asRead?.(made()) ?? {}, "metadata", "labels")["job-name"], "j");
  });
});

describe("statuses of jobs", () => {
  const errors = (status: JsonObject, before: JsonObject = {}, spec: JsonObject = {}): readonly string[] => {
    const job = made({ spec });
    return validateJobStatus({ ...job, status }, { ...job, status: before }).map(formatFieldError);
  };
  const condition = (type: string): JsonObject => ({ type, status: "True" });
  const time = "2026-01-01T00:00:00Z";
  for (const [what, found, expected] of [
    ["accept active and ready counts", errors({ active: 1, ready: 1 }), []],
    [
      "refuse more ready pods than active ones",
      errors({ active: 1, ready: 2 }),
      [/cannot set more ready pods than active/u],
    ],
    [
      "refuse a negative active count and do not check an absent ready count",
      errors({ active: -1 }),
      [/status\.active: Invalid value: -1/u],
    ],
    [
      "refuse a decreasing failed counter",
      errors({ failed: 1 }, { failed: 2 }),
      [/cannot decrease the failed counter/u],
    ],
    [
      "refuse Complete without completionTime, startTime and SuccessCriteriaMet",
      errors({ conditions: [condition("Complete")] }),
      [/completionTime is required/u, /without the SuccessCriteriaMet=true/u, /startTime is required/u],
    ],
    [
      "accept Complete with SuccessCriteriaMet and times",
      errors({
        conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
        startTime: time,
        completionTime: time,
      }),
      [],
    ],
    [
      "refuse removal of terminal conditions",
      errors({}, { conditions: [condition("Failed"), condition("FailureTarget")] }),
      [/cannot disable the terminal Failed=True/u, /cannot disable the terminal FailureTarget=True/u],
    ],
    [
      "refuse completedIndexes of a non-indexed Job",
      errors({ completedIndexes: "0" }, {}, { completions: 2 }),
      [/cannot set non-empty completedIndexes when non-indexed/u],
    ],
  ] as const)
    test(what, () => {
      assert.equal(found.length, expected.length, found.join("\n"));
      for (const [index, pattern] of expected.entries()) assert.match(found[index] ?? "", pattern);
    });
});

describe("indexes", () => {
  for (const [text, problem] of [
    ["", undefined],
    ["0-2,4", undefined],
    ["1-1", "non-increasing order, previous: 1, current: 1"],
    ["2,1", "non-increasing order, previous: 2, current: 1"],
    ["5", 'too large index: "5"'],
    ["a", 'cannot convert string to integer for index: "a"'],
    [
      "1-2-3",
      "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two parts separated by '-'",
    ],
  ] as const)
    test(JSON.stringify(text), () => assert.equal(indexesProblem(text, 5), problem));
  test("are not both completed and failed", () => {
    assert.equal(sharedIndex("0-2", "3,4", 5), undefined);
    assert.equal(sharedIndex("0-2,4", "3,4", 5), 4);
  });
});

describe("empty maps", () => {
  const read = (spec: JsonObject): JsonObject => decodeAs("PodSpec", { containers: [], ...spec }).value;
  test("are not written, but differ from absent ones in comparisons", () => {
    assert.deepEqual(Object.keys(read({ nodeSelector: {} })), Object.keys(read({})));
    assert.equal(exactlyEqual(read({ nodeSelector: {} }), read({})), false);
    assert.equal(exactlyEqual(read({ nodeSelector: {} }), read({ nodeSelector: {} })), true);
  });
});
