import { connect, createServer, type Server, type Socket } from "node:net";
import { services } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { packageServiceName, securePort } from "../../src/deploy/ports.ts";
import { isRunning, type RunningPod } from "./pod-runner.ts";

/** Plays kube-proxy for the Service of the package API: a new connection goes to the next pod that runs. */
export interface ServiceNetwork {
  /** Connections go to this pod alone; undefined: to every one in turn. */
  only: RunningPod | undefined;
  close(): void;
}

/**
 * Replaces the Service of the package API by one of type ExternalName with an address of the loopback range, and forwards what
 * arrives there.
 */
export async function playServiceNetwork(
  client: KubeClient,
  namespace: string,
  pods: readonly RunningPod[],
): Promise<ServiceNetwork> {
  // Of this process alone, so that two runs on a machine do not meet.
  const host = `127.${1 + (process.pid % 250)}.${1 + ((process.pid >> 8) % 250)}.7`;
  const key = { namespace, name: packageServiceName };
  const spec = { type: "ExternalName", externalName: host, ports: [{ name: "https", port: securePort }] };
  const object = { apiVersion: "v1", kind: "Service", metadata: key, spec };
  const never = new AbortController().signal;
  written(await client.write({ verb: "delete", type: services, key }, never));
  written(await client.write({ verb: "create", type: services, object }, never));
  let turn = 0;
  /** As kube-proxy, it notices a moment later that a pod is being ended, whether or not connections come meanwhile. */
  const isServed = (pod: RunningPod): boolean => {
    const since = pod.endingSince();
    return isRunning(pod) && (since === undefined || systemClock.monotonic() - since < 1000);
  };
  const network: ServiceNetwork = { only: undefined, close: () => undefined };
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    const running = network.only === undefined ? pods.filter(isServed) : [network.only];
    const pod = running[turn++ % running.length];
    if (pod === undefined) return void socket.destroy();
    const onward = connect(pod.ports["packages"] ?? 0, "127.0.0.1");
    for (const [end, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      open.add(end);
      end.on("error", () => other.destroy());
      end.on("close", () => {
        open.delete(end);
        // What it has sent is still on its way.
        other.end();
      });
    }
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(securePort, host, resolve);
  });
  return Object.assign(network, {
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  });
}
