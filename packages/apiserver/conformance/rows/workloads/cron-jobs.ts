import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import { pathsOf, nameOf, names, said } from "../../rollouts.ts";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer } from "../../row.ts";
import { at, itemsOf, text } from "../../scene.ts";
import { cronJob } from "../../workloads.ts";

export const cronJobRows: readonly Row[] = [
  {
    row: 88,
    name: "the schedule of a CronJob",
    run: async (scene) => {
      const { cronJobs } = pathsOf(scene);
      for (const [spec, message] of [
        [{ schedule: "* * *" }, 'spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]'],
        [
          { schedule: "60 * * * *" },
          'spec.schedule: Invalid value: "60 * * * *": end of range (60) above maximum (59): 60',
        ],
        [{ schedule: "@often" }, 'spec.schedule: Invalid value: "@often": unrecognized descriptor: @often'],
        [
          { schedule: "* * * foo *" },
          'spec.schedule: Invalid value: "* * * foo *": failed to parse int from foo: strconv.Atoi: parsing "foo": invalid syntax',
        ],
        [
          { schedule: "TZ=UTC * * * * *" },
          'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
        ],
        [{ timeZone: "Mars/X" }, 'spec.timeZone: Invalid value: "Mars/X": unknown time zone Mars/X'],
        [{ timeZone: "" }, 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
        [
          { concurrencyPolicy: "X" },
          'spec.concurrencyPolicy: Unsupported value: "X": supported values: "Allow", "Forbid", "Replace"',
        ],
      ] as const)
        assertAnswer(await scene.ask({ method: "POST", path: cronJobs, body: cronJob("c", spec) }), {
          code: 422,
          message: `CronJob.batch "c" is invalid: ${message}`,
        });
      for (const [index, schedule] of ["@hourly", "*/5 1-3,7 * jan-MAR mon", "@every 1h30m", "0 0 31 2 ?"].entries())
        await scene.ok({ method: "POST", path: cronJobs, body: cronJob(`ok-${index}`, { schedule, suspend: true }) });
    },
  },
  {
    row: 296,
    name: "a CronJob starts the last missed Job, and records it",
    run: async (scene) => {
      const { cronJobs } = pathsOf(scene);
      const path = `${cronJobs}/c`;
      await scene.ok({ method: "POST", path: cronJobs, body: cronJob("c", { schedule: "@every 1s", suspend: true }) });
      await new Promise((resolve) => setTimeout(resolve, 1500));
      assert.equal((await scene.merge(path, { spec: { suspend: false } })).code, 200);
      const jobs = `/apis/batch/v1/namespaces/${scene.ns}/jobs`;
      // The Job is created before the status that lists it. A write between the two makes the status a conflict, and it is
      // not written again while the CronJob is suspended.
      await eventually(async () => {
        const held = await scene.ok({ path });
        const minute = Math.floor(Date.parse(text(held, "status", "lastScheduleTime")) / 60_000);
        assert.ok((await names(scene, jobs)).includes(`c-${minute}`));
      });
      assert.equal((await scene.merge(path, { spec: { suspend: true } })).code, 200);
      const [job = {}] = itemsOf(await scene.ok({ path: jobs }));
      assert.match(
        text(job, "metadata", "annotations", "batch.kubernetes.io/cronjob-scheduled-timestamp"),
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
      );
      const [owner = {}] = at(job, "metadata", "ownerReferences") as unknown as readonly JsonObject[];
      assertContains(owner, { kind: "CronJob", name: "c", controller: true, blockOwnerDeletion: true });
      assert.ok((await said(scene, "CronJob")).includes(`Normal SuccessfulCreate: Created job ${nameOf(job)}`));
      await eventually(async () => {
        const now = await scene.ok({ path });
        assert.notEqual(text(now, "status", "lastSuccessfulTime"), "");
        assert.equal(at(now, "status", "active"), undefined);
      });
    },
  },
];
