import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfigMap } from "../../apis/core.ts";
import { configMaps } from "../../apis/resources.ts";
import { SeededEntropy } from "../../entropy.ts";
import { currentSpan } from "../../system/current-span.ts";
import { traceParent } from "../../tracing.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { createClient, type KubeClient } from "../client.ts";
import type { Progress } from "../plan.ts";
import { UnfinishedPassError, written } from "../refusal.ts";
import { MemoryApi } from "../testing/memory-api.ts";
import { RecordedSpans } from "../testing/recorded-spans.ts";
import { settle } from "../testing/settle.ts";
import type { Transport } from "../transport.ts";
import { type ApplyContext, type Controller, defineController, type ObserveContext } from "./controller.ts";
import { startManager } from "./manager.ts";

const { signal } = new AbortController();
const map = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "demo", name },
  data,
});
const put = async (client: Pick<KubeClient, "write">, name: string, data: Record<string, string>): Promise<void> =>
  void written(
    await client.write(
      { verb: "patch", type: configMaps, key: { namespace: "demo", name }, patch: { data }, patchType: "merge" },
      signal,
    ),
  );

interface Play {
  readonly client: KubeClient;
  readonly clock: VirtualClock;
  readonly spans: RecordedSpans;
}

/** Runs the controllers until `act` and all that follows from it have ended; the spans that were sent. */
async function sentBy(
  controllers: readonly Controller[],
  act: (play: Play) => Promise<void>,
  slowly: (transport: Transport) => Transport = (transport) => transport,
): Promise<readonly string[]> {
  const api = new MemoryApi(["/api/v1/configmaps", "/api/v1/events"]);
  const clock = new VirtualClock();
  const client = createClient(slowly(api.transport));
  const spans = new RecordedSpans();
  const manager = startManager({
    name: "test",
    client,
    clock,
    entropy: new SeededEntropy(1),
    controllers,
    identities: { own: () => client, serviceAccount: () => client },
    tracing: spans,
  });
  await manager.synced();
  await act({ client: createClient(api.transport), clock, spans });
  await settle(60);
  let isStopped = false;
  const stopping = manager.stop().then(() => (isStopped = true));
  while (!isStopped) {
    clock.advance(1000);
    await settle(1);
  }
  await stopping;
  return spans.sent();
}

/** Acts on each map that it sees. */
const acting = (
  name: string,
  act: (map: ConfigMap, context: ApplyContext) => Promise<void>,
  progress?: (object: unknown) => Progress,
  look: (context: ObserveContext) => void = () => {},
): Controller =>
  defineController<ConfigMap | undefined, ConfigMap, [ConfigMap]>({
    name,
    watches: [{ type: configMaps }],
    ...(progress === undefined ? {} : { progress }),
    steps: {
      observe: (key, context) => {
        look(context);
        return context.reader.get(configMaps, key);
      },
      plan: (world) => ({ actions: world === undefined ? [] : [world] }),
      apply: (_key, object, context) => act(object, context),
    },
  });

/** `a` is copied to `b`, `b` to `c`. */
const copying = acting("copier", async ({ metadata: { name = "" } }, { writer }) => {
  const next = { a: "b", b: "c" }[name];
  if (next === undefined) return;
  const made = await writer.write({ verb: "create", type: configMaps, object: map(next) }, signal);
  if (!made.ok && made.problem.kind !== "alreadyExists") written(made);
});
const chain = [
  "copier demo/a < -",
  "create ConfigMap < copier demo/a",
  "copier demo/b < copier demo/a",
  "create ConfigMap < copier demo/b",
];
const create = ({ client }: Play, name: string): Promise<unknown> =>
  client.write({ verb: "create", type: configMaps, object: map(name) }, signal);

test("a pass over what another pass wrote belongs to its trace; one that does nothing is not sent", async () => {
  assert.deepEqual(await sentBy([copying], (play) => create(play, "a").then(() => {})), chain);
});

test("also when the watch shows the write before its answer arrives", async () => {
  const late =
    (transport: Transport): Transport =>
    async (request, aborting) => {
      const answer = await transport(request, aborting);
      if (request.method === "POST") await settle(10);
      return answer;
    };
  assert.deepEqual(await sentBy([copying], (play) => create(play, "a").then(() => {}), late), chain);
});

test("a retry goes on in the trace of the failed pass, and a failure is sent with its text", async () => {
  let failures = 0;
  const failing = acting("failing", async ({ metadata: { name } }) => {
    if (name === "b" && failures++ < 2) throw new UnfinishedPassError("not yet");
  });
  const sent = await sentBy([copying, failing], async (play) => {
    await create(play, "a");
    for (let round = 0; round < 5; round++) {
      await settle(20);
      play.clock.advance(1000);
    }
  });
  assert.deepEqual(
    sent.filter((line) => line.startsWith("failing")),
    ["failing demo/b < copier demo/a (not yet)", "failing demo/b < copier demo/a (not yet)"],
  );
});

test("a pass that another process or span names is sent although it wrote nothing", async () => {
  const told: (string | undefined)[] = [];
  const telling = acting(
    "telling",
    async () => {},
    undefined,
    () => void told.push(currentSpan()?.spanId),
  );
  assert.deepEqual(await sentBy([telling], (play) => create(play, "a").then(() => {})), ["telling demo/a < -"]);
  assert.deepEqual(told, ["1"]);
  assert.equal(currentSpan(), undefined);
});

const stateOf = (object: unknown): Progress => {
  const { state = "working" } = (object as ConfigMap).data ?? {};
  if (state === "failed") return { kind: "failed", state, message: "it broke" };
  return state === "done" ? { kind: "done", state } : { kind: "working", state };
};
/** Notes in a second map what state it saw of the first. */
const noting = acting(
  "noting",
  async ({ metadata: { name }, data }, { writer }) => {
    if (name === "a" && data?.["state"] !== undefined) await put(writer, "notes", { saw: data["state"] });
  },
  (object) => ((object as ConfigMap).metadata.name === "a" ? stateOf(object) : { kind: "done", state: "" }),
);

for (const [title, end, wanted] of [
  ["done", (play: Play) => put(play.client, "a", { state: "done" }), ""],
  ["failed", (play: Play) => put(play.client, "a", { state: "failed" }), " (it broke)"],
  [
    "deleted",
    async (play: Play) =>
      void (await play.client.write(
        { verb: "delete", type: configMaps, key: { namespace: "demo", name: "a" } },
        signal,
      )),
    " (deleted)",
  ],
  ["interrupted by the end of the process", async () => {}, ""],
] as const)
  test(`an object on its way has a span until it is ${title}, which others' changes belong to`, async () => {
    const sent = await sentBy([noting], async (play) => {
      await create(play, "notes");
      await create(play, "a");
      await settle(20);
      await put(play.client, "a", { state: "half" });
      await settle(20);
      await end(play);
    });
    assert.equal(sent[0], `ConfigMap demo/a < -${wanted}`);
    assert.equal(sent[1], "noting demo/a < ConfigMap demo/a");
  });

test("the header of a span is that of W3C Trace Context", () => {
  const ids = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
  assert.equal(traceParent({ ...ids, isSampled: true }), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  assert.equal(traceParent({ ...ids, isSampled: false }), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00");
});
