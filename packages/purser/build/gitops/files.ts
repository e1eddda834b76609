import { dump } from "js-yaml";
import { argoCdPatch } from "./argo-cd.ts";
import { fluxPatch } from "./flux.ts";

const yaml = (what: string, value: unknown): string =>
  `# ${what}\n# Written by packages/purser/build/gitops/main.ts; change the rules there.\n${dump(value, { lineWidth: -1, noRefs: true, quoteStyle: "double" })}`;

/** Files of `deploy/gitops/` by name. */
export const gitopsFiles: ReadonlyMap<string, string> = new Map([
  [
    "argocd-cm.yaml",
    yaml("kubectl -n argocd patch configmap argocd-cm --type merge --patch-file argocd-cm.yaml", argoCdPatch),
  ],
  [
    "flux-kustomization.yaml",
    yaml("Take spec.wait, spec.timeout and spec.healthCheckExprs into your Kustomization", fluxPatch),
  ],
]);
