import { sign } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clusterRoleBindings, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { installPlans } from "../../src/apis/olm-resources.ts";
import { eventually } from "../eventually.ts";
import { patient } from "../surroundings.ts";
import { create, createTenant, type Drill, eventuallyReady, mustRun, subscribe } from "./drill.ts";
import { flagOf } from "./own-api-server.ts";

const where = "drill-token";
const account = "purser-drill";

/** The token of its ServiceAccount expires, as when a kubelet cannot renew it, and is replaced in its file later. */
export const expiredToken: Drill = {
  name: "drill: an expired ServiceAccount token stops all writes until its file has a new one",
  namespaces: [where],
  async run({ client, server, command, directory, start }) {
    await server.start();
    await create(client, serviceAccounts, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { namespace: "kube-system", name: account },
    });
    const uid = (await client.get(serviceAccounts, { namespace: "kube-system", name: account }))?.metadata.uid ?? "";
    const file = join(directory, "token");
    const give = (seconds: number): void => writeFileSync(file, tokenOf(command, uid, seconds));
    const kubeconfig = join(directory, "account-kubeconfig");
    const text = readFileSync(server.kubeconfig, "utf8");
    writeFileSync(kubeconfig, text.replace(/token: "[^"]*"/, `tokenFile: ${JSON.stringify(file)}`), { mode: 0o600 });
    try {
      await create(client, clusterRoleBindings, {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: account },
        subjects: [{ kind: "ServiceAccount", namespace: "kube-system", name: account }],
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      });
      give(600);
      const purser = await start(kubeconfig);
      await createTenant(client, where);
      await subscribe(client, where, "op-0000");
      await eventuallyReady(client, ["op-0000"]);
      give(-60);
      await eventually("the log shows a refused token", () =>
        Promise.resolve(/Unauthorized|401/.test(purser.output()) ? undefined : purser.output().slice(-1000)),
      );
      const before = (await client.list(installPlans, { namespace: where })).length;
      await subscribe(client, where, "op-0001");
      await systemClock.sleep(5000, patient);
      const after = (await client.list(installPlans, { namespace: where })).length;
      if (after !== before) throw new Error("an expired token made an InstallPlan");
      mustRun(purser);
      give(600);
      await eventuallyReady(client, ["op-0001"]);
      mustRun(purser);
    } finally {
      for (const [type, key] of [
        [clusterRoleBindings, { name: account }],
        [serviceAccounts, { namespace: "kube-system", name: account }],
      ] as const)
        writtenUnlessDeleted(await client.write({ verb: "delete", type, key }, patient));
    }
  },
};

/** A token of the account that expires after so many seconds, signed as kube-apiserver signs its own. */
function tokenOf(command: readonly string[], uid: string, seconds: number): string {
  const now = Math.floor(systemClock.now() / 1000);
  const issuer = flagOf(command, "--service-account-issuer");
  const claims = {
    iss: issuer,
    aud: [issuer],
    sub: `system:serviceaccount:kube-system:${account}`,
    iat: now - 3600,
    nbf: now - 3600,
    exp: now + seconds,
    "kubernetes.io": { namespace: "kube-system", serviceaccount: { name: account, uid } },
  };
  const encoded = [{ alg: "RS256", typ: "JWT" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const key = readFileSync(flagOf(command, "--service-account-signing-key-file") ?? "", "utf8");
  return `${encoded}.${sign("sha256", Buffer.from(encoded), key).toString("base64url")}`;
}
