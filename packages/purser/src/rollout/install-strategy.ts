import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { type KubeObject, asJson } from "@purser/kubernetes/apis/object";
import {
  apiServices,
  customResourceDefinitions,
  deployments,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import type { APIServiceDescription, WebhookDescription } from "../apis/v0/cluster-service-version.ts";
import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { createMergePatch } from "@purser/kubernetes/object/patches/merge-patch";
import { desiredApiService } from "./plan/strategy/csv-api-service.ts";
import { desiredDeployment, strategyDeployments } from "./plan/strategy/csv-deployment.ts";
import { isInstalled } from "./plan/strategy/deployment-edits.ts";
import { hasOwnerLabels, ownerOf } from "./plan/strategy/csv-owner.ts";
import {
  admissionKindOf,
  configurationsOf,
  conversionFault,
  desiredConfiguration,
  desiredConversion,
  type WebhookConfiguration,
} from "./plan/strategy/csv-webhooks.ts";
import type { InstallOutcome } from "./plan/strategy/install-outcome.ts";
import { servesApis } from "./plan/strategy/serving-resources.ts";
import type { StrategyWorld } from "./plan/strategy/strategy-world.ts";
import { deleteOlderServing } from "./older-serving.ts";
import { ensureServing, type ServingCertificate } from "./serving-certificates.ts";
import { type WriteFailure, writeOrFail } from "./write-failure.ts";

export { observeStrategy } from "./observe-strategy.ts";

export interface StrategyPorts {
  readonly writer: ObjectWriter;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/**
 * Installs a CSV's Deployments with their certificates, APIServices and webhooks, as OLM's
 * `StrategyDeploymentInstaller.Install`. Idempotent: valid certificates are kept.
 */
export async function installStrategy(
  world: StrategyWorld,
  ports: StrategyPorts,
  signal: AbortSignal,
): Promise<InstallOutcome> {
  const refused = ({ message }: WriteFailure): InstallOutcome => ({ kind: "failed", message });
  const entries = strategyDeployments(world);
  const certificates = new Map<string, ServingCertificate>();
  for (const entry of entries) {
    if (!servesApis(world.csv, entry.name)) continue;
    const serving = await ensureServing(world, entry, ports, signal);
    if (!serving.ok) return refused(serving.problem);
    certificates.set(entry.name, serving.value);
  }
  const authorities = new Map([...certificates].map(([name, { authority }]) => [name, authority]));
  const registered = new Registration(world, ports.writer, authorities, signal);
  for (const entry of entries) {
    const desired = desiredDeployment(world, entry, certificates.get(entry.name)?.authorityHash);
    const written = await writeDeployment(world, desired.object, ports.writer, signal);
    const step = written.ok ? await registered.write() : written;
    if (step.ok) continue;
    return step.problem.forbidden
      ? { kind: "forbidden", message: `install strategy failed: ${step.problem.message}` }
      : refused(step.problem);
  }
  const cleaned = await deleteOrphans(world, ports.writer, signal);
  if (!cleaned.ok) return refused(cleaned.problem);
  const migrated = await deleteOlderServing(world, ports.writer, signal);
  if (!migrated.ok) return refused(migrated.problem);
  const rotations = [...certificates.values()].flatMap(({ rotateAt }) => (rotateAt === undefined ? [] : [rotateAt]));
  if (rotations.length === 0) return { kind: "installed" };
  return {
    kind: "installed",
    certificates: { lastUpdated: ports.clock.now(), rotateAt: Math.min(...rotations) },
  };
}

/** Last writer wins: the strategy is the only source of the content of a Deployment that differs from it. */
async function writeDeployment(
  world: StrategyWorld,
  object: JsonObject,
  writer: ObjectWriter,
  signal: AbortSignal,
): Promise<Result<undefined, WriteFailure>> {
  const desired = object as unknown as KubeObject;
  const live = world.deployments.find(({ metadata }) => metadata.name === desired.metadata.name);
  if (live !== undefined && isInstalled(live, object)) return done(undefined);
  const replace: ObjectWrite = { verb: "replace", type: deployments, object: desired };
  if (live !== undefined) return settle(await writeOrFail(writer, replace, signal));
  const created = await writer.write({ verb: "create", type: deployments, object: desired }, signal);
  if (created.ok) return done(undefined);
  if (created.problem.kind === "alreadyExists") return settle(await writeOrFail(writer, replace, signal));
  return failed({ message: created.problem.status.message, forbidden: created.problem.kind === "forbidden" });
}

function settle(written: Result<unknown, WriteFailure>): Result<undefined, WriteFailure> {
  return written.ok ? done(undefined) : written;
}

/** APIServices and webhooks of the CSV: all of them are written after every single Deployment, as upstream does. */
class Registration {
  readonly #world: StrategyWorld;
  readonly #writer: ObjectWriter;
  readonly #authorities: ReadonlyMap<string, string>;
  readonly #signal: AbortSignal;
  /** Made in this pass: the world does not show them yet. */
  readonly #created = new Map<WebhookDescription, WebhookConfiguration>();
  readonly #createdApiServices = new Map<string, KubeObject>();

  constructor(
    world: StrategyWorld,
    writer: ObjectWriter,
    authorities: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ) {
    this.#world = world;
    this.#writer = writer;
    this.#authorities = authorities;
    this.#signal = signal;
  }

  async write(): Promise<Result<undefined, WriteFailure>> {
    for (const description of this.#world.csv.spec.apiservicedefinitions?.owned ?? []) {
      const written = await this.#apiService(description);
      if (!written.ok) return written;
    }
    for (const description of this.#world.csv.spec.webhookdefinitions ?? []) {
      const written =
        admissionKindOf(description) === undefined
          ? await this.#conversion(description)
          : await this.#admission(description);
      if (!written.ok) return written;
    }
    return done(undefined);
  }

  #authorityOf(deploymentName: string | undefined): string | undefined {
    return this.#authorities.get(deploymentName ?? "");
  }

  async #apiService(description: APIServiceDescription): Promise<Result<undefined, WriteFailure>> {
    const name = `${description.version}.${description.group}`;
    const live = this.#createdApiServices.get(name) ?? this.#world.apiServices.get(name);
    const desired = desiredApiService(this.#world, description, this.#authorityOf(description.deploymentName), live);
    if (!desired.ok) return failed({ message: desired.problem, forbidden: false });
    // As OLM, patch only the fields that differ: other clients may own the other fields of the APIService.
    const write: ObjectWrite =
      live === undefined
        ? { verb: "create", type: apiServices, object: desired.value as unknown as KubeObject }
        : {
            verb: "patch",
            type: apiServices,
            key: { name },
            patch: createMergePatch(asJson(live), desired.value),
            patchType: "merge",
          };
    const written = await writeOrFail(this.#writer, write, this.#signal);
    if (written.ok && written.value.object !== undefined) this.#createdApiServices.set(name, written.value.object);
    return settle(written);
  }

  async #admission(description: WebhookDescription): Promise<Result<undefined, WriteFailure>> {
    const [group, another] = this.#world.operatorGroups;
    if (group === undefined || another !== undefined) {
      return failed({ message: "error retrieving OperatorGroup info", forbidden: false });
    }
    const type =
      admissionKindOf(description) === "validating" ? validatingWebhookConfigurations : mutatingWebhookConfigurations;
    const desired = desiredConfiguration(
      this.#world.csv,
      description,
      group,
      this.#authorityOf(description.deploymentName),
    ) as unknown as WebhookConfiguration;
    const made = this.#created.get(description);
    const held = made === undefined ? configurationsOf(this.#world, description) : [made];
    if (held.length === 0) {
      const created = await writeOrFail(this.#writer, { verb: "create", type, object: desired }, this.#signal);
      if (created.ok && created.value.object !== undefined) this.#created.set(description, created.value.object);
      return settle(created);
    }
    for (const live of held) {
      const object: WebhookConfiguration = {
        ...live,
        metadata: { ...live.metadata, labels: { ...live.metadata.labels, ...desired.metadata.labels } },
        webhooks: desired.webhooks ?? [],
      };
      const replaced = await writeOrFail(this.#writer, { verb: "replace", type, object }, this.#signal);
      if (!replaced.ok) return replaced;
      if (made !== undefined && replaced.value.object !== undefined) {
        this.#created.set(description, replaced.value.object);
      }
    }
    return done(undefined);
  }

  async #conversion(description: WebhookDescription): Promise<Result<undefined, WriteFailure>> {
    const fault = conversionFault(this.#world.csv, description);
    if (fault !== undefined) return failed({ message: fault, forbidden: false });
    for (const name of description.conversionCRDs ?? []) {
      const conversion = desiredConversion(
        this.#world,
        description,
        name,
        this.#authorityOf(description.deploymentName),
      );
      if (!conversion.ok) return failed({ message: conversion.problem, forbidden: false });
      const crd = this.#world.crds.get(name);
      if (crd === undefined) continue;
      const live = asJson(crd);
      const patch = createMergePatch(live, {
        ...live,
        spec: { ...(live["spec"] as JsonObject), conversion: conversion.value },
      });
      const written = await writeOrFail(
        this.#writer,
        { verb: "patch", type: customResourceDefinitions, key: { name }, patch, patchType: "merge" },
        this.#signal,
        (text) => `Error updating CRD with Conversion info: ${text}`,
      );
      if (!written.ok) return written;
    }
    return done(undefined);
  }
}

/** Deployments of this CSV that its strategy no longer names. */
async function deleteOrphans(
  world: StrategyWorld,
  writer: ObjectWriter,
  signal: AbortSignal,
): Promise<Result<undefined, WriteFailure>> {
  const owner = ownerOf(world.csv);
  const wanted = new Set(strategyDeployments(world).map(({ name }) => name));
  for (const { metadata } of world.deployments) {
    const { name = "", namespace = owner.namespace, labels, ownerReferences } = metadata;
    const owned = (ownerReferences ?? []).some(({ uid }) => uid === world.csv.metadata.uid);
    if (wanted.has(name) || !owned || !hasOwnerLabels(labels, owner)) continue;
    const deleted = await writer.write(
      { verb: "delete", type: deployments, key: { namespace, name }, propagation: "Foreground" },
      signal,
    );
    if (!deleted.ok && deleted.problem.kind !== "notFound") {
      return failed({ message: deleted.problem.status.message, forbidden: deleted.problem.kind === "forbidden" });
    }
  }
  return done(undefined);
}
