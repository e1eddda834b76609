import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { formatTime } from "@purser/kubernetes/clock";
import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import { member } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { Result } from "@purser/kubernetes/result";
import { noSteps, type Steps } from "@purser/kubernetes/steps";
import { defineKind } from "../../kinds/define-kind.ts";
import type { Call } from "../../call.ts";
import type { Machinery } from "../../machinery.ts";
import { scalePrinter } from "../../printing/plain-printers.ts";
import type { ProtobufDecoders } from "../../protobuf/decoders.ts";
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
import { patchBody, patchTypeOf } from "../patches/patch-body.ts";
import { named, patchedObject } from "../patches/patch-forms.ts";
import { storageKey } from "../read.ts";
import { scaleOf, scaleToWrite, withScale } from "./scale.ts";
import { oneToServed } from "../versions.ts";

interface Target {
  readonly namespace: string | undefined;
  readonly name: string;
}

const scaleType = { group: "autoscaling", version: "v1", kind: "Scale", plural: "scales", namespaced: true } as const;

/** A Scale as a kind: what is written is one, whatever object it is the Scale of. */
const scales: ServedKind = { ...defineKind(scaleType), table: tableOf(scaleType) };

export async function getScale(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  { namespace, name }: Target,
): Promise<Result<Answer, ApiStatus>> {
  const output = outputOf(machinery, shownAs(kind), call);
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

/** The kind as its Scale is shown. */
function shownAs(kind: ServedKind): ServedKind {
  const { group, version, kind: name } = scaleType;
  return { ...kind, type: { ...kind.type, group, version, kind: name }, printer: scalePrinter };
}

export async function putScale(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  target: Target,
  request: ApiRequest,
  protobuf: ProtobufDecoders,
): Promise<Result<Answer, ApiStatus>> {
  const output = outputOf(machinery, shownAs(kind), call);
  if (!output.ok) return output;
  const options = writeOptions(call.query, call.headers["user-agent"], "UpdateOptions");
  if (!options.ok) return options;
  const body = await readBody(request, "Scale", protobuf.decoderOfKind(scaleType), call.work);
  const decoded = body.ok
    ? await call.work.through(decodeBody(machinery, scales, call, body.value, options.value))
    : body;
  // For the words of the refusal the reference looks the type up where custom resources are, in vain.
  if (!decoded.ok && decoded.problem.code === 400 && kind.custom !== undefined)
    return badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"');
  if (!decoded.ok) return decoded;
  const sent = inNamespace(scales, decoded.value, target.namespace);
  if (!sent.ok) return sent;
  const scale = named(sent, target.name);
  if (!scale.ok) return scale;
  const { uid } = scale.value.metadata;
  return writeScale(
    {
      machinery,
      kind,
      call,
      target,
      options: options.value,
      ...(uid === undefined ? {} : { uid }),
      next: () => noSteps(scale),
    },
    output.value,
  );
}

export async function patchScale(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  target: Target,
  request: ApiRequest,
): Promise<Result<Answer, ApiStatus>> {
  const output = outputOf(machinery, shownAs(kind), call);
  if (!output.ok) return output;
  const type = patchTypeOf(request, kind);
  if (!type.ok) return type;
  const options = writeOptions(call.query, call.headers["user-agent"], "PatchOptions", type.value === "apply");
  if (!options.ok) return options;
  const body = await patchBody(request, type.value, options.value.fieldValidation !== "Ignore", call.work);
  if (!body.ok && body.problem.code === 413) return body;
  const form = type.value;
  const given = options.value;
  function* next(live: KubeObject): Steps<Result<KubeObject, ApiStatus>> {
    if (form === "apply") {
      const configuration = appliedConfiguration(scales, body);
      if (!configuration.ok) return configuration;
      const unowned = kind.custom !== undefined && live.metadata.managedFields === undefined;
      if (unowned) return inconvertible("failed to create manager for existing fields: ", "live", "/");
      const application = { target: { ...target, endpoint: "scale" as const }, options: given, body };
      const applied = yield* appliedObject(machinery, scales, call, application, live);
      if (kind.custom === undefined || !applied.ok || isSame(applied.value, live)) return applied;
      return inconvertible("", "new", `${target.namespace ?? ""}/${target.name}`);
    }
    if (!body.ok) return body;
    return yield* patchedObject(machinery, scales, call, given, target, live, body.value, form);
  }
  return writeScale(
    { machinery, kind, call, target, options: given, next, ownershipDone: form === "apply" },
    output.value,
  );
}

/** An apply that changes nothing needs no conversion. */
function isSame(next: KubeObject, live: KubeObject): boolean {
  return deepEqual(member(asJson(next), "spec"), member(asJson(live), "spec"));
}

/** The reference asks its converter of custom resources for a Scale, which it does not know. */
function inconvertible(when: string, which: string, name: string): Result<never, ApiStatus> {
  const type = "autoscaling/v1, Kind=Scale";
  return unexplained(
    `${when}failed to convert ${which} object (${name}; ${type}) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
  );
}

interface ScaleWrite {
  readonly machinery: Machinery;
  readonly kind: ServedKind;
  readonly call: Call;
  readonly target: Target;
  readonly options: WriteOptions;
  readonly uid?: string;
  readonly ownershipDone?: boolean;
  /** The Scale wanted, from the one that is there. */
  next(live: KubeObject): Steps<Result<KubeObject, ApiStatus>>;
}

async function writeScale(write: ScaleWrite, output: Output): Promise<Result<Answer, ApiStatus>> {
  const { machinery, kind, call, target, options, uid, ownershipDone = false } = write;
  const written = await modify(machinery, call, {
    kind,
    ...target,
    endpoint: "scale",
    options,
    ownershipDone: true,
    put: false,
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
