package dev.weir.server.console;

import dev.weir.memory.profile.LiveProfile;
import dev.weir.memory.profile.LiveSite;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A profile as a tree of calls, the outermost at the root: each node as wide as the bytes that were
 * allocated in it or below. What is too narrow to be seen is left out, which bounds the tree.
 */
final class FlameTree {
  /** Narrower nodes would be less than half a pixel of a wide screen: 1/2,048 of the whole. */
  private static final int NARROWEST_PART = 2_048;

  private final String name;
  private final Map<StackTraceElement, FlameTree> callees = new LinkedHashMap<>();
  private long bytes;

  private FlameTree(String name) {
    this.name = name;
  }

  /** A tree below one node of that name. */
  static FlameTree of(String name, LiveProfile profile) {
    FlameTree root = new FlameTree(name);
    for (LiveSite site : profile.sites()) {
      FlameTree node = root;
      node.bytes += site.bytes();
      for (StackTraceElement frame : site.stack().reversed()) {
        node = node.callees.computeIfAbsent(frame, call -> new FlameTree(CodeText.frame(call)));
        node.bytes += site.bytes();
      }
    }
    return root;
  }

  /** Nodes with {@code name}, {@code bytes} and {@code children}, the widest first. */
  Map<String, Object> json() {
    return json(bytes / NARROWEST_PART);
  }

  private Map<String, Object> json(long narrowest) {
    List<Map<String, Object>> children =
        callees.values().stream()
            .filter(callee -> callee.bytes > narrowest)
            .sorted(Comparator.comparingLong((FlameTree callee) -> callee.bytes).reversed())
            .map(callee -> callee.json(narrowest))
            .toList();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", name);
    json.put("bytes", bytes);
    json.put("children", children);
    return json;
  }
}
