import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectAt, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { testServer, withNamespace, type TestServer } from "../../testing/server.ts";

const batch = "/apis/batch/v1/namespaces/demo";
const cronPath = `${batch}/cronjobs/c`;
/** The clock of the tests starts at 2026-01-01T00:00:00Z. */
const startMinute = Date.UTC(2026, 0, 1) / 60_000;

async function started(spec: JsonObject = {}, job: JsonObject = {}, result = "succeed"): Promise<TestServer> {
  const server = await testServer({ controllers: true });
  await withNamespace(server, "demo");
  const pod = {
    metadata: { annotations: { "sim/result": result } },
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i:1" }] },
  };
  const jobTemplate = { metadata: { labels: { l: "1" } }, spec: { template: pod, ...job } };
  const body = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "c" },
    spec: { schedule: "* * * * *", jobTemplate, ...spec },
  };
  const answer = await server.ask({ method: "POST", path: `${batch}/cronjobs`, body });
  assert.equal(answer.code, 201, answer.message);
  assert.deepEqual(answer.warnings, []);
  await server.server.settled();
  return server;
}

/** Advances the clock in steps. */
async function pass(server: TestServer, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    server.clock.advance(60_000);
    await server.server.settled();
    server.clock.advance(500);
    await server.server.settled();
  }
}

async function jobNames(server: TestServer): Promise<readonly string[]> {
  const found = objectsIn((await server.ask({ path: `${batch}/jobs` })).object, "items");
  return found.map((job) => textIn(objectIn(job, "metadata"), "name"));
}

async function status(server: TestServer): Promise<JsonObject> {
  return objectIn((await server.ask({ path: cronPath })).object, "status");
}

async function said(server: TestServer): Promise<readonly string[]> {
  const events = objectsIn((await server.ask({ path: "/api/v1/namespaces/demo/events" })).object, "items");
  return events
    .filter((event) => objectIn(event, "involvedObject")["kind"] === "CronJob")
    .map((event) => `${textIn(event, "type")} ${textIn(event, "reason")}: ${textIn(event, "message")}`)
    .toSorted();
}

async function change(server: TestServer, spec: JsonObject): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  const answer = await server.ask({ method: "PATCH", path: cronPath, body: { spec }, headers });
  assert.equal(answer.code, 200, answer.message);
  await server.server.settled();
}

test("a CronJob starts a Job at the scheduled minute, names it after the minute, and records its success", async () => {
  const server = await started();
  assert.deepEqual(await jobNames(server), []);
  await pass(server, 1);
  const name = `c-${startMinute + 1}`;
  assert.deepEqual(await jobNames(server), [name]);
  const job = (await server.ask({ path: `${batch}/jobs/${name}` })).object;
  assert.equal(
    objectAt(job, "metadata", "annotations")["batch.kubernetes.io/cronjob-scheduled-timestamp"],
    "2026-01-01T00:01:00Z",
  );
  assert.equal(objectAt(job, "metadata", "labels")["l"], "1");
  const [owner = {}] = objectsIn(objectIn(job, "metadata"), "ownerReferences");
  assert.deepEqual([owner["kind"], owner["name"], owner["controller"]], ["CronJob", "c", true]);
  const { lastScheduleTime, lastSuccessfulTime, active } = await status(server);
  assert.equal(lastScheduleTime, "2026-01-01T00:01:00Z");
  assert.equal(typeof lastSuccessfulTime, "string");
  assert.equal(active, undefined);
  assert.deepEqual(await said(server), [
    `Normal SawCompletedJob: Saw completed job: ${name}, condition: Complete`,
    `Normal SuccessfulCreate: Created job ${name}`,
  ]);
  await server.server.stop();
});

test("Jobs beyond the history limits are deleted, oldest first", async () => {
  for (const [result, limit, left] of [
    ["succeed", { successfulJobsHistoryLimit: 2 }, 2],
    ["fail", { failedJobsHistoryLimit: 1 }, 1],
  ] as const) {
    const server = await started(limit, { backoffLimit: 0 }, result);
    await pass(server, 4);
    const names = await jobNames(server);
    assert.deepEqual(
      names,
      [3, 4].slice(2 - left).map((minute) => `c-${startMinute + minute}`),
      result,
    );
    await server.server.stop();
  }
});

test("the concurrency policy decides about a Job that still runs", async () => {
  const expected = { Allow: [1, 2, 3], Forbid: [1], Replace: [3] } as const;
  for (const [concurrencyPolicy, minutes] of Object.entries(expected)) {
    const server = await started({ concurrencyPolicy }, {}, "ready");
    await pass(server, 3);
    assert.deepEqual(
      await jobNames(server),
      minutes.map((minute) => `c-${startMinute + minute}`),
      concurrencyPolicy,
    );
    assert.equal(objectsIn(await status(server), "active").length, minutes.length);
    await server.server.stop();
  }
});

test("a suspended CronJob starts nothing; when resumed it starts the last missed Job", async () => {
  const server = await started({ suspend: true });
  await pass(server, 3);
  assert.deepEqual(await jobNames(server), []);
  await change(server, { suspend: false });
  assert.deepEqual(await jobNames(server), [`c-${startMinute + 3}`]);
  await server.server.stop();
});

test("a time missed by more than startingDeadlineSeconds is reported and not made up for", async () => {
  const server = await started({ schedule: "0 * * * *", startingDeadlineSeconds: 10, suspend: true });
  server.clock.advance(3_605_000);
  await change(server, { suspend: false });
  assert.deepEqual(await jobNames(server), [`c-${startMinute + 60}`]);
  await change(server, { suspend: true });
  server.clock.advance(3_615_000);
  await change(server, { suspend: false });
  assert.deepEqual(await jobNames(server), [`c-${startMinute + 60}`]);
  await server.server.stop();
});

test("a changed schedule counts from the change on", async () => {
  const server = await started({ schedule: "0 0 1 6 *" });
  await pass(server, 3);
  await change(server, { schedule: "*/2 * * * *" });
  assert.deepEqual(await jobNames(server), []);
  await pass(server, 1);
  assert.deepEqual(await jobNames(server), [`c-${startMinute + 4}`]);
  await server.server.stop();
});

test("a schedule is evaluated in its time zone", async () => {
  const server = await started({ schedule: "31 5 * * *", timeZone: "Asia/Kolkata" });
  await pass(server, 1);
  const [name = ""] = await jobNames(server);
  assert.equal(name, `c-${startMinute + 1}`);
  const job = (await server.ask({ path: `${batch}/jobs/${name}` })).object;
  assert.equal(
    objectAt(job, "metadata", "annotations")["batch.kubernetes.io/cronjob-scheduled-timestamp"],
    "2026-01-01T05:31:00+05:30",
  );
  await server.server.stop();
});

test("an invalid CronJob is refused with the paths of the invalid fields", async () => {
  const server = await started();
  const template = {
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
  };
  for (const [spec, message] of [
    [{ schedule: "* * *" }, 'spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]'],
    [
      { schedule: "TZ=UTC * * * * *" },
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
    [{ timeZone: "Mars/X" }, 'spec.timeZone: Invalid value: "Mars/X": unknown time zone Mars/X'],
    [{ timeZone: "" }, 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
    [
      { startingDeadlineSeconds: -1 },
      "spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0",
    ],
  ] as const) {
    const body = { metadata: { name: "x" }, spec: { schedule: "* * * * *", jobTemplate: template, ...spec } };
    const answer = await server.ask({ method: "POST", path: `${batch}/cronjobs`, body });
    assert.equal(answer.code, 422);
    assert.equal(answer.message, `CronJob.batch "x" is invalid: ${message}`);
  }
  await server.server.stop();
});
