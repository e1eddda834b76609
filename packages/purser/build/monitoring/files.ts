import { dump } from "js-yaml";
import { dashboard } from "./dashboard.ts";
import { ruleGroups } from "./alert-rules.ts";

const written = "# Written by packages/purser/build/monitoring/main.ts; change the rules there.\n";
const yaml = (value: unknown): string => written + dump(value, { lineWidth: -1, noRefs: true, quoteStyle: "double" });

/** Files of `deploy/monitoring/` by name. */
export const monitoringFiles: ReadonlyMap<string, string> = new Map([
  ["rules.yaml", yaml({ groups: ruleGroups })],
  [
    "prometheus-rule.yaml",
    yaml({
      apiVersion: "monitoring.coreos.com/v1",
      kind: "PrometheusRule",
      metadata: { name: "olm-alert-rules", labels: { "app.kubernetes.io/name": "purser" } },
      spec: { groups: ruleGroups },
    }),
  ],
  ["dashboard.json", `${JSON.stringify(dashboard, undefined, 2)}\n`],
]);
