import type { Deployment } from "@purser/kubernetes/apis/apps";
import { defaultValues, type InstallValues, withValues } from "./values.ts";

/** What an installation was made with, as far as its rights depend on it: read from the flags of its Deployment. */
export function installedValues({ metadata, spec }: Deployment): InstallValues {
  const args = spec?.template.spec?.containers.flatMap((container) => container.args ?? []) ?? [];
  const isSet = (flag: string): boolean => args.some((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const valueOf = (flag: string): string =>
    args.find((arg) => arg.startsWith(`${flag}=`))?.slice(flag.length + 1) ?? "";
  const secret = spec?.template.spec?.volumes?.find(({ name }) => name === "tls")?.secret?.secretName;
  return withValues(defaultValues, {
    namespace: metadata.namespace ?? "",
    "apis.v0": valueOf("--apis") !== "v1",
    "apis.v1": valueOf("--apis") !== "v0",
    packageApi: isSet("--package-api-address"),
    "catalogs.tls": isSet("--catalog-tls") || isSet("--catalog-tls-cert"),
    "certificates.issuer":
      valueOf("--serving-secret-issuer") === "others"
        ? isSet("--catalog-tls-cert")
          ? "service-ca"
          : "cert-manager"
        : "own",
    openshift: isSet("--write-status-name"),
    "metrics.tlsSecret": isSet("--tls-cert") ? (secret ?? "tls") : "",
  } as Parameters<typeof withValues>[1]);
}
