import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { formatTime } from "@purser/kubernetes/clock";
import { member } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { Result } from "@purser/kubernetes/result";
import { noSteps, type Steps } from "@purser/kubernetes/steps";
import { defineKind } from "../../kinds/define-kind.ts";
import { scalePrinter } from "../../printing/plain-printers.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import { tableOf } from "../../registry/served-kind.ts";
import type { Answer } from "../../request/answer.ts";
import { readBody } from "../../request/body.ts";
import type { WriteOptions } from "../../request/query.ts";
import { writeOptions } from "../../request/query.ts";
import { badRequest, notFound, unexplained } from "../../request/refusal.ts";
import { appliedConfiguration, appliedObject } from "../patches/apply.ts";
import { inNamespace } from "../create.ts";
import { decodeBody } from "../decode.ts";
import { modify } from "../modify.ts";
import type { Output } from "../output.ts";
import { outputOf } from "../output.ts";
import { withOwnership } from "../ownership.ts";
import { readPatch } from "../patches/patch.ts";
import { named, patchedObject } from "../patches/patch-forms.ts";
import { storageKey } from "../read.ts";
import type { ObjectRequest } from "../resource-request.ts";
import { scaleOf, scaleToWrite, withScale } from "./scale.ts";
import { oneToServed } from "../versions.ts";

const scaleType = { group: "autoscaling", version: "v1", kind: "Scale", plural: "scales", namespaced: true } as const;

/** A Scale as a kind: what is written is one, whatever object it is the Scale of. */
const scales: ServedKind = { ...defineKind(scaleType), table: tableOf(scaleType) };

export async function getScale(request: ObjectRequest): Promise<Result<Answer, ApiStatus>> {
  const { machinery, kind, namespace, name } = request;
  const output = scaleOutput(request);
  if (!output.ok) return output;
  const stored = machinery.storage.get(kind.table, storageKey(kind, namespace, name));
  if (stored === undefined) return notFound(kind.type, name);
  const live = await oneToServed(machinery, kind, stored);
  if (!live.ok) return live;
  return scaleAnswer(kind, live.value, output.value);
}

function scaleAnswer(kind: ServedKind, object: KubeObject, output: Output): Result<Answer, ApiStatus> {
  const scale = scaleOf(kind, object);
  return scale.ok ? output.object(scale.value, 200) : scale;
}

/** Of the Scale that is shown in place of its object. */
function scaleOutput(request: ObjectRequest): Result<Output, ApiStatus> {
  const { group, version, kind: name } = scaleType;
  const type = { ...request.kind.type, group, version, kind: name };
  return outputOf({ ...request, kind: { ...request.kind, type, printer: scalePrinter } });
}

export async function putScale(request: ObjectRequest): Promise<Result<Answer, ApiStatus>> {
  const { kind, call, protobuf } = request;
  const output = scaleOutput(request);
  if (!output.ok) return output;
  const options = writeOptions(call.query, call.headers["user-agent"], "UpdateOptions");
  if (!options.ok) return options;
  const body = await readBody(request.sent, "Scale", protobuf.decoderOfKind(scaleType), call.work);
  const decoded = body.ok
    ? await call.work.through(decodeBody({ ...request, kind: scales }, body.value, options.value))
    : body;
  // For the words of the refusal kube-apiserver looks the type up among custom resources and does not find it.
  if (!decoded.ok && decoded.problem.code === 400 && kind.custom !== undefined)
    return badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"');
  if (!decoded.ok) return decoded;
  const sent = inNamespace(scales, decoded.value, request.namespace);
  if (!sent.ok) return sent;
  const scale = named(sent, request.name);
  if (!scale.ok) return scale;
  const { uid } = scale.value.metadata;
  const next = (): Steps<Result<KubeObject, ApiStatus>> => noSteps(scale);
  return writeScale(request, { options: options.value, ...(uid === undefined ? {} : { uid }), next }, output.value);
}

export async function patchScale(request: ObjectRequest): Promise<Result<Answer, ApiStatus>> {
  const { kind, namespace, name } = request;
  const output = scaleOutput(request);
  if (!output.ok) return output;
  const patch = await readPatch(request);
  if (!patch.ok) return patch;
  const { form, options, body } = patch.value;
  const ofScale = { ...request, kind: scales, endpoint: "scale" } as const;
  function* next(live: KubeObject): Steps<Result<KubeObject, ApiStatus>> {
    if (form === "apply") {
      const configuration = appliedConfiguration(scales, body);
      if (!configuration.ok) return configuration;
      const unowned = kind.custom !== undefined && live.metadata.managedFields === undefined;
      if (unowned) return inconvertible("failed to create manager for existing fields: ", "live", "/");
      const applied = yield* appliedObject(ofScale, { options, body }, live);
      if (kind.custom === undefined || !applied.ok || isSame(applied.value, live)) return applied;
      return inconvertible("", "new", `${namespace ?? ""}/${name}`);
    }
    if (!body.ok) return body;
    return yield* patchedObject(ofScale, live, { form, options, body: body.value });
  }
  return writeScale(request, { options, next, ownershipDone: form === "apply" }, output.value);
}

/** An apply that changes nothing needs no conversion. */
function isSame(next: KubeObject, live: KubeObject): boolean {
  return deepEqual(member(asJson(next), "spec"), member(asJson(live), "spec"));
}

/** kube-apiserver asks its converter of custom resources for a Scale, which that does not know. */
function inconvertible(when: string, which: string, name: string): Result<never, ApiStatus> {
  const type = "autoscaling/v1, Kind=Scale";
  return unexplained(
    `${when}failed to convert ${which} object (${name}; ${type}) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
  );
}

interface ScaleWrite {
  readonly options: WriteOptions;
  readonly uid?: string;
  readonly ownershipDone?: boolean;
  /** The Scale wanted, from the one that is there. */
  next(live: KubeObject): Steps<Result<KubeObject, ApiStatus>>;
}

async function writeScale(
  request: ObjectRequest,
  write: ScaleWrite,
  output: Output,
): Promise<Result<Answer, ApiStatus>> {
  const { machinery, kind } = request;
  const { options, uid, ownershipDone = false } = write;
  const written = await modify(request, {
    options,
    ownershipDone: true,
    ...(uid === undefined ? {} : { expectedUid: uid }),
    *next(live) {
      const before = scaleToWrite(kind, live);
      if (!before.ok) return before;
      const next = yield* write.next(before.value);
      if (!next.ok) return next;
      const now = formatTime(machinery.clock.now());
      const manager = options.fieldManager;
      const owned = ownershipDone
        ? next.value
        : yield* withOwnership(scales, "scale", { next: next.value, old: before.value, manager, now });
      return withScale(kind, live, owned);
    },
  });
  if (!written.ok) return written;
  const scale = scaleOf(kind, written.value.object);
  return scale.ok ? output.object(scale.value, 200) : badRequest(scale.problem.message);
}
