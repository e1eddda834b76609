import type { WebhookClientConfig } from "./apiextensions.ts";
import type { KubeObject } from "./object.ts";
import type { LabelSelector } from "./selector.ts";

export interface RuleWithOperations {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

export interface ValidatingWebhook {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly RuleWithOperations[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[];
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

export interface MutatingWebhook extends ValidatingWebhook {
  readonly reinvocationPolicy?: string;
}

export interface ValidatingWebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly ValidatingWebhook[];
}

export interface MutatingWebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly MutatingWebhook[];
}
