import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFile, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Clock } from "@purser/kubernetes/clock";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { clusterExtensions, clusterServiceVersions } from "../../apis/olm-resources.ts";
import { World } from "../testing/world.ts";
import { openOtlpTracing } from "./otlp-tracing.ts";
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from "./testing/otlp-receiver.ts";
import { traceSettings } from "./trace-settings.ts";

let receiver: OtlpReceiver;
const catalogs = (): readonly ReceivedSpan[] => receiver.spans.filter(({ name }) => name === "catalog directory demo");

/** A namespace whose operator is upgraded by a catalog's change, and an extension; all spans have arrived. */
before(async () => {
  receiver = await startOtlpReceiver();
  const settings = traceSettings({ OTEL_BSP_SCHEDULE_DELAY: "50" }, `${receiver.url}/`);
  const world = await World.open({ traces: { settings, version: "1.2.3" } });
  const succeeds = async (name: string): Promise<void> => {
    const isReached = ({ status }: { readonly status?: { readonly phase?: string } }): boolean =>
      status?.phase === "Succeeded";
    await world.reaches(clusterServiceVersions, { namespace: "ops", name }, "Succeeded", isReached);
    await world.settled();
  };
  try {
    const file = join(world.catalogDirectory, "logbook-db", "catalog.yaml");
    const whole = await readFile(file, "utf8");
    await world.until("the catalog's span", async () => catalogs().length === 1);
    await writeFile(file, whole.replace("  - name: logbook-db.v1.2.0\n    replaces: logbook-db.v1.1.0\n", ""));
    await world.until("the span of the older catalog", async () => catalogs().length === 2);
    await world.tenant("ops");
    await world.subscribe("ops", "logbook-db");
    await succeeds("logbook-db.v1.1.0");
    await writeFile(file, whole);
    await succeeds("logbook-db.v1.2.0");
    await world.extend("ballast-cache");
    const isReady = ({ type, status }: { readonly type: string; readonly status: string }): boolean =>
      type === "Ready" && status === "True";
    await world.reaches(
      clusterExtensions,
      { name: "ballast-cache" },
      "Ready",
      ({ status }) => status?.conditions?.some(isReady) === true,
    );
    await world.settled();
  } finally {
    await world.stop();
  }
});
after(() => receiver.stop());

function one(name: RegExp): ReceivedSpan {
  const found = receiver.spans.filter((span) => name.test(span.name));
  assert.equal(found.length, 1, `${name}: ${found.map((span) => span.name).join()}`);
  return found[0] as ReceivedSpan;
}

/** Names of the spans above one, nearest first, each once. */
function above({ parentId }: ReceivedSpan): readonly string[] {
  const parent = receiver.spans.find(({ spanId }) => spanId === parentId);
  return parent === undefined ? [] : [...new Set([parent.name.replace(/install-\w+$/, "install"), ...above(parent)])];
}

test("an operator that a catalog's change upgrades is ready in the trace of that change", () => {
  const csv = one(/^ClusterServiceVersion ops\/logbook-db\.v1\.2\.0$/);
  const way = above(csv);
  assert.deepEqual(way.slice(0, 3), [
    "install-plan ops/install",
    "InstallPlan ops/install",
    "namespace-resolution ops",
  ]);
  assert.equal(way.at(-1), "catalog directory demo");
  const change = catalogs().find(({ traceId }) => traceId === csv.traceId);
  assert.ok(change !== undefined && change.startedAt < csv.startedAt);
  assert.match(String(change.attributes["purser.catalog.digest"]), /^sha256:/);
  assert.equal(csv.attributes["purser.state"], "Succeeded");
  const last = receiver.spans.filter(({ parentId }) => parentId === csv.spanId);
  assert.ok(last.some(({ name }) => name === "cluster-service-version ops/logbook-db.v1.2.0"));
});

test("a Subscription that a user creates begins a trace, an extension's revision is part of the extension's", () => {
  const first = one(/^ClusterServiceVersion ops\/logbook-db\.v1\.1\.0$/);
  assert.ok(!catalogs().some(({ traceId }) => traceId === first.traceId));
  const revision = one(/^ClusterObjectSet ballast-cache-1$/);
  assert.deepEqual(above(revision), ["cluster-extension ballast-cache", "ClusterExtension ballast-cache"]);
  assert.equal(one(/^ClusterExtension ballast-cache$/).attributes["purser.state"], "Succeeded");
});

test("every span names its process, ends after its start and has a parent that was sent, or none", () => {
  const sent = new Set(receiver.spans.map(({ spanId }) => spanId));
  for (const { name, parentId, links, startedAt, endedAt, resource } of receiver.spans) {
    assert.ok(parentId === "" || sent.has(parentId), `the parent of ${name}`);
    for (const link of links) assert.ok(sent.has(link), `a link of ${name}`);
    assert.ok(startedAt <= endedAt, name);
    assert.deepEqual([resource["service.name"], resource["service.version"]], ["purser", "1.2.3"]);
  }
  assert.deepEqual(new Set(receiver.requests.map(({ path }) => path)), new Set(["POST /v1/traces"]));
});

/** Ends a process that has made spans, of which some are on their way; what it logs. */
async function stopped(endpoint: string, clock: Clock, isOnTheWay: () => Promise<unknown>): Promise<readonly string[]> {
  const lines: string[] = [];
  const settings = traceSettings({ OTEL_BSP_SCHEDULE_DELAY: "10" }, endpoint);
  assert.ok(settings.kind === "otlp");
  const log = (level: string, message: string): void => void lines.push(`${level} ${message}`);
  const tracing = openOtlpTracing(settings, { clock, log, version: "1", instance: "a" });
  tracing.begin({ name: "a" }).end();
  await isOnTheWay();
  tracing.begin({ name: "b" }).end();
  const ending = tracing.stop();
  if (clock instanceof VirtualClock) clock.advance(3000);
  await ending;
  return lines;
}

test("a collector that refuses spans is logged once", async () => {
  const refusing = await startOtlpReceiver(400);
  try {
    const isRefused = async (): Promise<void> => {
      while (refusing.requests.length === 0) await systemClock.sleep(10, new AbortController().signal);
    };
    const lines = await stopped(refusing.url, systemClock, isRefused);
    assert.deepEqual([...new Set(lines)], ["warn spans could not be sent"]);
    assert.ok(lines.length <= 2, lines.join("\n"));
  } finally {
    await refusing.stop();
  }
});

test("a collector that never answers holds up the end of the process for three seconds and no longer", async () => {
  const asked = Promise.withResolvers<undefined>();
  let open = 0;
  const silent = createServer(() => asked.resolve(undefined));
  silent.on("connection", (socket) => {
    open++;
    socket.on("close", () => open--);
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await stopped(url, new VirtualClock(Date.now()), () => asked.promise);
    // A request that the SDK has given up is closed a moment later.
    await systemClock.sleep(200, new AbortController().signal);
    assert.ok(open > 0, "the SDK has given up the request, after ten seconds");
  } finally {
    silent.closeAllConnections();
    silent.close();
  }
});
