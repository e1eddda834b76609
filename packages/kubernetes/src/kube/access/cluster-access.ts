import type { JsonObject } from "../../json.ts";

/** PEM text, or a file that may be replaced at run time. */
export type PemSource =
  | { readonly kind: "inline"; readonly pem: string }
  | { readonly kind: "file"; readonly path: string };

export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  readonly installHint?: string;
}

export type Bearer =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "exec"; readonly plugin: ExecPlugin }
  | { readonly kind: "basic"; readonly username: string; readonly password: string }
  /** Called before each request. */
  | { readonly kind: "provider"; readonly token: () => Promise<string> };

/** Address and credentials for one API server as one user, as needed by a transport. */
export interface ClusterAccess {
  /** `https://host:port`, possibly with a path prefix. */
  readonly server: string;
  readonly authority?: PemSource;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
  readonly clientCertificate?: { readonly certificate: PemSource; readonly key: PemSource };
  readonly bearer?: Bearer;
  readonly impersonate?: {
    readonly name: string;
    readonly uid?: string;
    readonly groups: readonly string[];
    readonly extra: Readonly<Record<string, readonly string[]>>;
  };
  /** Default namespace of the context. */
  readonly namespace?: string;
  /** Name of the context; absent in a cluster. */
  readonly context?: string;
  /** What programs note about the cluster in its kubeconfig, by name. */
  readonly extensions?: Readonly<Record<string, JsonObject>>;
}
