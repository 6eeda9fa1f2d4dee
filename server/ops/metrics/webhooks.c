#include "server/ops/metrics/webhooks.h"

#include "server/ops/metrics/prometheus.h"

void webhook_metrics_write(const struct webhook_metrics *metrics, FILE *out)
{
    static const char events[] = "posed_webhook_events_total", retries[] = "posed_webhook_retries_total",
                      waiting[] = "posed_webhook_waiting";
    prometheus_family(out, events, "counter", "Events for the webhook, by result.");
    prometheus_sample(out, events, PROMETHEUS_LABELS({"result", "sent"}), atomic_load(&metrics->sent));
    prometheus_sample(out, events, PROMETHEUS_LABELS({"result", "failed"}), atomic_load(&metrics->failed));
    prometheus_family(out, retries, "counter", "Attempts to send an event that failed and are repeated.");
    prometheus_sample(out, retries, PROMETHEUS_NO_LABELS, atomic_load(&metrics->retried));
    prometheus_family(out, waiting, "gauge", "Events that wait to be sent.");
    prometheus_sample(out, waiting, PROMETHEUS_NO_LABELS, atomic_load(&metrics->waiting));
}
