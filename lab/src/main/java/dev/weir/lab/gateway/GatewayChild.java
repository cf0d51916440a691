package dev.weir.lab.gateway;

import dev.weir.lab.child.ParentLines;
import dev.weir.lab.report.JsonLines;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** The process under test: serves, and says how its collector is whenever it is asked. */
public final class GatewayChild {
  static final String LOOK = "look";
  static final String END = "end";

  private static final String[] WORDS = {"amber", "basalt", "chalk", "dolomite", "flint", "gneiss"};

  private GatewayChild() {}

  /** Runs with the label of a {@link GatewayCoder}, the length of a text, and a limit. */
  public static void main(String[] arguments) {
    int bytes = Integer.parseInt(arguments[1]);
    long limitBytes = Long.parseLong(arguments[2]);
    GatewayPlan plan = new GatewayPlan(bytes, 0, 0, 0, 0, 0, limitBytes);
    GatewayServer server = new GatewayServer(GatewayCoder.of(arguments[0]), plan, text(bytes));
    ParentLines parent = new ParentLines();
    parent.say(Integer.toString(server.port()));
    while (!parent.await(LOOK, END).equals(END)) {
      parent.say(JsonLines.line(look()));
    }
    System.exit(0);
  }

  private static Map<String, Object> look() {
    List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
    Map<String, Object> seen = new LinkedHashMap<>();
    seen.put(
        "gcCount", collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum());
    seen.put(
        "gcMillis", collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum());
    return seen;
  }

  private static byte[] text(int bytes) {
    SplittableRandom random = new SplittableRandom(1);
    StringBuilder text = new StringBuilder(bytes + 128).append('[');
    while (text.length() < bytes) {
      text.append("{\"stone\":\"").append(WORDS[random.nextInt(WORDS.length)]);
      text.append("\",\"grams\":").append(random.nextInt(1_000_000)).append("},\n");
    }
    text.setLength(bytes);
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }
}
