package dev.weir.lab.compressed;

import dev.weir.lab.child.ParentLines;
import dev.weir.lab.memory.ProcessRss;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.subject.AllocatorUnderTest;
import dev.weir.lab.subject.Subject;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** The process under test: serves, and says how its memory is whenever it is asked. */
public final class CompressedChild {
  /** Says how it is. */
  static final String LOOK = "look";

  /** Gives back what it keeps for responses to come, and says how it is then. */
  static final String END = "end";

  /** What an event loop may need to end with connections that are closed. */
  private static final Duration LAST_MOMENT = Duration.ofSeconds(3);

  private static final long LOOK_NANOS = 10_000_000;

  private static final String[] WORDS = {"amber", "basalt", "chalk", "dolomite", "flint", "gneiss"};

  private CompressedChild() {}

  /** Runs with the label of a {@link Subject} and the numbers of a plan. */
  public static void main(String[] arguments) throws Exception {
    List<String> all = Arrays.asList(arguments);
    CompressedPlan plan = CompressedPlan.of(all.subList(1, all.size()));
    AllocatorUnderTest subject =
        Subject.of(all.getFirst()).create(plan.limitBytes(), plan.limitBytes());
    CompressedServer server =
        new CompressedServer(subject, text(plan.contentBytes()), plan.vanish(), plan.zstd());
    ParentLines parent = new ParentLines();
    parent.say(Integer.toString(server.port()));
    while (!parent.await(LOOK, END).equals(END)) {
      parent.say(JsonLines.line(look(subject, server)));
    }
    server.closeCompression();
    long deadline = System.nanoTime() + LAST_MOMENT.toNanos();
    while (subject.liveBytes().orElse(0) > 0 && System.nanoTime() < deadline) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
    parent.say(JsonLines.line(look(subject, server)));
  }

  private static Map<String, Object> look(AllocatorUnderTest subject, CompressedServer server)
      throws IOException {
    Map<String, Object> seen = new LinkedHashMap<>();
    seen.put("open", server.open());
    seen.put("liveBytes", subject.liveBytes().orElse(-1));
    seen.put("contextBytes", server.contextBytes());
    seen.put("idleContextBytes", server.idleContextBytes());
    seen.put("rssBytes", ProcessRss.anonymousBytes());
    seen.put(
        "gcMillis",
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(GarbageCollectorMXBean::getCollectionTime)
            .sum());
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
