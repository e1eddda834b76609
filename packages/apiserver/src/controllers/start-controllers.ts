import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { Transport, UserInfo } from "@purser/kubernetes/kube/transport";
import type { Storage } from "../storage/storage.ts";
import { rootAuthorityPublisher, serviceAccountController } from "./accounts/account-controllers.ts";
import { apiServiceController } from "./api-service-controller.ts";
import { availabilityController, type Prober } from "./availability-controller.ts";
import { cronJobController } from "./jobs/cron-job-controller.ts";
import { daemonSetController } from "./daemon-sets/daemon-set-controller.ts";
import { deploymentController } from "./deployments/deployment-controller.ts";
import { disruptionController } from "./disruption-controller.ts";
import { endpointsController, endpointSliceController } from "./endpoints/endpoints-controllers.ts";
import { endpointSliceMirroringController } from "./endpoints/mirroring-controller.ts";
import { garbageCollector } from "./garbage-collector.ts";
import { jobController, jobPodReleaser } from "./jobs/job-controller.ts";
import { namespaceController } from "./namespace-controller.ts";
import { nodeTaintController } from "./nodes/node-taints.ts";
import { nodeController } from "./nodes/simulated-node.ts";
import { podSimulator } from "./pods/pod-simulator.ts";
import { policyStatusController } from "./policy-status-controller.ts";
import { quotaController } from "./quota-controller.ts";
import { replicaSetController } from "./replica-set-controller.ts";
import { scheduler } from "./scheduling/scheduler.ts";
import { RefusedWrites } from "./refused-writes.ts";
import { roleAggregationController } from "./accounts/role-aggregation.ts";
import { Lookups } from "./lookup.ts";
import { Pace } from "./pace.ts";
import { Loop, passOf, type BuiltInController } from "./runtime.ts";
import { statefulSetController } from "./stateful-sets/stateful-set-controller.ts";
import type { Simulation } from "./pods/simulation.ts";
import { tokenController, type TokenIssuer } from "./accounts/token-controller.ts";
import { claimProtection, volumeProtection } from "./volume-protection.ts";
import { Writer } from "./writer.ts";

export interface BuiltInControllers {
  /** Resolves when every queue is empty, no pass runs, every change has been handled and no timer is due. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

export interface ControllerOptions {
  readonly storage: Storage;
  /** In-process transport; requests are authorized as the given user. */
  readonly transport: (user: UserInfo) => Transport;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** PEM of the certificate authority published in `kube-root-ca.crt` of every namespace. */
  readonly rootAuthority: string;
  /** Signs tokens for Secrets of type `kubernetes.io/service-account-token`; without it those stay empty. */
  readonly issueToken?: TokenIssuer["issue"];
  /** Probes the servers of aggregated APIs; without it their APIServices never become Available. */
  readonly probe?: Prober;
  readonly simulation?: Simulation;
  /** Called with a log line about a problem that no object's status shows. */
  readonly report?: (text: string) => void;
}

const administrator: UserInfo = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"] };

function controllers(options: ControllerOptions): readonly BuiltInController[] {
  return [
    serviceAccountController,
    rootAuthorityPublisher(options.rootAuthority),
    roleAggregationController,
    namespaceController(),
    garbageCollector(),
    deploymentController,
    replicaSetController,
    statefulSetController,
    daemonSetController(),
    claimProtection,
    volumeProtection,
    podSimulator,
    scheduler(),
    cronJobController(),
    jobController(),
    jobPodReleaser,
    endpointsController(),
    endpointSliceController(),
    endpointSliceMirroringController,
    quotaController,
    disruptionController,
    nodeController,
    nodeTaintController,
    policyStatusController,
    apiServiceController,
    ...(options.probe === undefined ? [] : [availabilityController(options.probe)]),
    ...(options.issueToken === undefined
      ? []
      : [tokenController({ issue: options.issueToken, rootAuthority: options.rootAuthority })]),
  ];
}

/** The service account of a built-in controller; bootstrap binds its role to it. */
function controllerUser(name: string): UserInfo {
  return {
    name: `system:serviceaccount:kube-system:${name}`,
    groups: ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
  };
}

/** Starts all built-in controllers; they watch the storage's feeds and write through the API. */
export function startBuiltInControllers(options: ControllerOptions): BuiltInControllers {
  const { storage, clock, transport } = options;
  const world = { storage, clock, pace: new Pace() };
  const lookups = new Lookups(storage);
  const refused = new RefusedWrites(clock, transport(administrator), options.report ?? (() => undefined));
  const loops = controllers(options).map((controller) => {
    const { name, manager = "kube-controller-manager" } = controller;
    const writer = new Writer(transport(controllerUser(name)), manager, (refusal) => refused.note(name, refusal));
    return new Loop(controller, world, passOf(options, options.simulation ?? {}, writer, lookups));
  });
  for (const loop of loops) loop.start();
  return {
    settled: async () => {
      // Idle twice in a row with nothing unpublished in between: a timer enqueues its key one microtask after it is
      // due.
      for (let calm = 0; calm < 2;) {
        await storage.durable();
        await Promise.resolve();
        const idle = loops.every((loop) => loop.idle()) && storage.published() === storage.revision();
        if (idle) calm++;
        else {
          calm = 0;
          await Promise.all(loops.map((loop) => loop.finished()));
        }
      }
    },
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}
