package dev.weir.server.console;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetPath;
import dev.weir.memory.view.BudgetView;
import dev.weir.server.console.RoundingEstimates.Estimate;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Budgets as JSON objects: names as in the view, bytes as numbers, what there is not, or is not
 * known, as null. What samples say stands in an object "estimate", but for the rate of allocation,
 * which is an estimate too.
 */
record BudgetJson(BudgetRates rates, RoundingEstimates estimates) {
  /** A budget and those below it. */
  Map<String, @Nullable Object> json(BudgetView root) {
    return json(root, BudgetPath.of(root.name()));
  }

  private Map<String, @Nullable Object> json(BudgetView view, String path) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("number", view.number());
    json.put("name", view.name());
    json.put("limitBytes", view.limitBytes() == Budget.UNLIMITED ? null : view.limitBytes());
    json.put("chargedBytes", view.chargedBytes());
    json.put("ownBytes", view.ownBytes());
    json.put("peakBytes", view.peakBytes());
    json.put("heapBytes", view.heapBytes());
    json.put("heldHeapBytes", view.heldHeapBytes());
    json.put("pressure", view.pressure().name().toLowerCase(Locale.ROOT));
    json.put("allocatedBytes", view.allocatedBytes());
    json.put("allocatedBytesPerSecond", rates.perSecond(view));
    json.put("estimate", estimate(estimates.ofBudget(path, view.chargedBytes())));
    json.put(
        "children",
        view.children().stream()
            .map(child -> json(child, BudgetPath.below(path, child.name())))
            .toList());
    json.put("otherChildren", view.otherChildren());
    json.put("otherBytes", view.otherBytes());
    return json;
  }

  static @Nullable Map<String, Object> estimate(@Nullable Estimate estimate) {
    if (estimate == null) {
      return null;
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("requestedBytes", estimate.requestedBytes());
    json.put("roundingBytes", estimate.roundingBytes());
    json.put("samples", estimate.samples());
    return json;
  }
}
