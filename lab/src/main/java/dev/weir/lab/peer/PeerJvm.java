package dev.weir.lab.peer;

import dev.weir.lab.child.ChildJvm;
import dev.weir.lab.report.JsonLines;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A peer that runs. Used by one thread. */
public final class PeerJvm implements AutoCloseable {
  private static final String MAIN = "dev.weir.peer.Peer";

  /** Names another limit of silence, in milliseconds. */
  static final String SILENCE_PROPERTY = "weir.lab.silence.millis";

  private static final int SILENCE_MILLIS = 60_000;

  /** The same small Java heap for all, resident from the start. */
  private static final List<String> SAME_FOR_ALL =
      List.of(
          "-XX:+UseSerialGC",
          "-Xms128m",
          "-Xmx128m",
          "-XX:+AlwaysPreTouch",
          "-Dio.netty.leakDetection.level=disabled");

  private final ChildJvm child;
  private final Map<String, Object> environment;

  private PeerJvm(ChildJvm child, Map<String, Object> environment) {
    this.child = child;
    this.environment = environment;
  }

  /**
   * Starts one.
   *
   * @param chosen the Java for versions of Netty that ran on an older one than this
   * @param limitBytes of direct memory
   * @param flags of one scenario, which rows tell
   * @param arguments behind the allocator and the limit
   * @throws PeerMissingException if this machine lacks what it needs
   * @throws IOException if it does not start, or ends at once
   */
  public static PeerJvm start(
      NettyPeer peer,
      Optional<Jdk> chosen,
      long limitBytes,
      List<String> flags,
      String mode,
      List<String> arguments)
      throws IOException {
    Jdk jdk = peer.jdk(chosen);
    List<String> told = new ArrayList<>(peer.flags(jdk, limitBytes));
    told.addAll(flags);
    List<String> command = new ArrayList<>();
    command.add(jdk.java().toString());
    command.addAll(SAME_FOR_ALL);
    command.addAll(told);
    command.addAll(List.of("-cp", peer.classPath(), MAIN, mode));
    command.addAll(List.of(peer.allocator(), Long.toString(limitBytes)));
    command.addAll(arguments);
    ChildJvm child = ChildJvm.start(command, Map.of());
    try {
      Map<String, Object> environment = new LinkedHashMap<>(said(child));
      environment.put("flags", String.join(" ", told));
      return new PeerJvm(child, environment);
    } catch (IOException | RuntimeException notStarted) {
      child.close();
      throw notStarted;
    }
  }

  /** The longest time without a word or an answer; then a peer counts as hanging. */
  public static Duration silenceLimit() {
    return Duration.ofMillis(Integer.getInteger(SILENCE_PROPERTY, SILENCE_MILLIS));
  }

  /** What it runs on: {@code netty}, {@code java}, {@code noCleaner} and {@code flags} of rows. */
  public Map<String, Object> environment() {
    return environment;
  }

  /** The process. */
  public ChildJvm child() {
    return child;
  }

  /**
   * What it says next.
   *
   * @throws IOException if it has ended, or is silent for a minute
   */
  public Map<String, Object> receive() throws IOException {
    return said(child);
  }

  /**
   * Asks it how it is.
   *
   * @throws IOException if it has ended, or is silent for a minute
   */
  public Map<String, Object> look() throws IOException {
    child.send("look");
    return said(child);
  }

  private static Map<String, Object> said(ChildJvm child) throws IOException {
    String line = child.receive(silenceLimit());
    try {
      return JsonLines.parse(line);
    } catch (RuntimeException noJson) {
      throw new IOException("the process under test said: " + line, noJson);
    }
  }

  @Override
  public void close() throws IOException {
    child.close();
  }
}
