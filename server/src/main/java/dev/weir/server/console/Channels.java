package dev.weir.server.console;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.LargestChildren;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What single connections hold, most first, whatever for: a client has a budget below each {@link
 * Usage}, and what is charged to all of them is added up. Exact, as sums of figures of nearly the
 * same moment are, for {@link #MAX_PARTS} clients; of more, what a client holds for a usage is left
 * out of its sum, and told with what the others hold, where it is not among so many largest of that
 * usage.
 */
final class Channels {
  /** Clients that are listed. */
  static final int MAX_LISTED = 16;

  /** Clients of each usage that are added up: some 8 MB of Java heap for all, for a moment. */
  static final int MAX_PARTS = 16_384;

  /** Budgets below the root that are looked through for the usages. */
  private static final int MAX_ROOTS = 1_024;

  /** The budgets of one client. */
  private static final class Client {
    private final String name;
    private final List<Budget> budgets = new ArrayList<>(Usage.values().length);
    private long bytes;

    Client(String name) {
      this.name = name;
    }

    void add(LargestChildren.Holding part) {
      budgets.add(part.budget());
      bytes += part.chargedBytes();
    }

    /** The peaks need not have been at the same time. */
    Map<String, Object> json() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("name", name);
      json.put("bytes", bytes);
      json.put("peakBytes", budgets.stream().mapToLong(Budget::peakChargedBytes).sum());
      return json;
    }
  }

  private Channels() {}

  static Map<String, Object> json(Budget root) {
    return json(root, MAX_PARTS);
  }

  static Map<String, Object> json(Budget root, int maxParts) {
    Map<String, Client> clients = new HashMap<>();
    long allBytes = 0;
    int count = 0;
    for (LargestChildren.Holding child : root.largestChildren(MAX_ROOTS).top()) {
      if (Usage.isOf(child.budget().name())) {
        LargestChildren parts = child.budget().largestChildren(maxParts);
        parts
            .top()
            .forEach(part -> clients.computeIfAbsent(part.budget().name(), Client::new).add(part));
        allBytes += parts.otherBytes();
        count = Math.max(count, parts.top().size() + parts.others());
      }
    }
    allBytes += clients.values().stream().mapToLong(client -> client.bytes).sum();
    List<Client> top =
        clients.values().stream()
            .filter(client -> client.bytes > 0)
            .sorted(Comparator.comparingLong((Client client) -> client.bytes).reversed())
            .limit(MAX_LISTED)
            .toList();
    count = Math.max(count, clients.size());
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("bytes", allBytes);
    json.put("count", count);
    json.put("top", top.stream().map(Client::json).toList());
    json.put("others", count - top.size());
    json.put("otherBytes", allBytes - top.stream().mapToLong(client -> client.bytes).sum());
    return json;
  }
}
