import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { formatFieldError } from "@purser/kubernetes/object/field-error";
import { applyMergePatch } from "@purser/kubernetes/object/patches/merge-patch";
import { exactlyEqual } from "../emptied.ts";
import { decodeAs } from "../decoding/decode.ts";
import { indexesProblem, sharedIndex } from "./job-indexes.ts";
import { jobKind } from "./job-kinds.ts";
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
    ["a suspended job may run elsewhere", job, pod({ nodeSelector: { a: "b" } }), []],
    ["and ask for other resources", job, resources, []],
    ["and have other labels", job, { spec: { template: { metadata: { labels: { a: "b" } } } } }, []],
    ["but no other image", job, image, ["spec.template.spec: field is immutable"]],
    ["once started, nothing of it changes", stopped, resources, ["spec.template: field is immutable"]],
    ["until it says that it is suspended", suspended, resources, []],
    [
      "and has no pods left",
      { ...suspended, status: { ...suspended.status, active: 1 } },
      resources,
      ["spec.template: field is immutable"],
    ],
    [
      "a job that is not suspended keeps its template",
      made({ spec: { suspend: false } }),
      resources,
      ["spec.template: field is immutable"],
    ],
  ] as const)
    test(what, () => assert.deepEqual(errors(made(next), old), expected));

  test("a refused template is quoted as Kubernetes holds it", () => {
    const [error] = validateTemplateUpdate(objectIn(made(image), "spec"), job);
    assert.match(
      error?.badText ?? "",
      /^\{"Volumes":null,"InitContainers":null,"Containers":\[\{"Name":"c","Image":"other",/u,
    );
    assert.match(error?.badText ?? "", /"SecurityContext":\{"HostNetwork":false,/u);
  });
});

describe("selectors of jobs", () => {
  const errors = (more: JsonObject): readonly string[] => validateJob(made(more), undefined).map(formatFieldError);
  const labelled = { spec: { template: { metadata: { labels: { "job-name": "other" } } } } };

  test("are made for them", () => assert.deepEqual(errors({}), []));
  test("want the labels that belong to them", () =>
    assert.match(
      errors(labelled).join("\n"),
      /spec\.template\.metadata\.labels\[job-name\]: Invalid value: .*: must be 'j'/u,
    ));
  test("of others are refused", () =>
    assert.match(
      errors({ spec: { selector: { matchLabels: { a: "b" } } } }).join("\n"),
      /`selector` not auto-generated/u,
    ));
  test("of one's own are asked for", () => {
    const own = { manualSelector: true, selector: { matchLabels: { a: "b" } } };
    assert.deepEqual(errors({ spec: { ...own, template: { metadata: { labels: { a: "b" } } } } }), []);
  });
  test("and their labels are those of the job, if it has none", () => {
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
    ["take counts", errors({ active: 1, ready: 1 }), []],
    [
      "have no more ready pods than active ones",
      errors({ active: 1, ready: 2 }),
      [/cannot set more ready pods than active/u],
    ],
    ["say nothing of ready pods while nobody does", errors({ active: -1 }), [/status\.active: Invalid value: -1/u]],
    ["do not fail less than before", errors({ failed: 1 }, { failed: 2 }), [/cannot decrease the failed counter/u]],
    [
      "are complete with their time, their start and their criteria",
      errors({ conditions: [condition("Complete")] }),
      [/completionTime is required/u, /without the SuccessCriteriaMet=true/u, /startTime is required/u],
    ],
    [
      "are complete",
      errors({
        conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
        startTime: time,
        completionTime: time,
      }),
      [],
    ],
    [
      "stay complete",
      errors({}, { conditions: [condition("Failed"), condition("FailureTarget")] }),
      [/cannot disable the terminal Failed=True/u, /cannot disable the terminal FailureTarget=True/u],
    ],
    [
      "name indexes of indexed jobs alone",
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
  test("are completed or failed", () => {
    assert.equal(sharedIndex("0-2", "3,4", 5), undefined);
    assert.equal(sharedIndex("0-2,4", "3,4", 5), 4);
  });
});

describe("empty maps", () => {
  const read = (spec: JsonObject): JsonObject => decodeAs("PodSpec", { containers: [], ...spec }).value;
  test("are not written, and still told from absent ones", () => {
    assert.deepEqual(Object.keys(read({ nodeSelector: {} })), Object.keys(read({})));
    assert.equal(exactlyEqual(read({ nodeSelector: {} }), read({})), false);
    assert.equal(exactlyEqual(read({ nodeSelector: {} }), read({ nodeSelector: {} })), true);
  });
});
