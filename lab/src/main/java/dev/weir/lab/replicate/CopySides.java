package dev.weir.lab.replicate;

import dev.weir.lab.child.ServiceFlags;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Both sides of a copy, each in a process of its own, and the proxy between them if there is one.
 */
final class CopySides implements AutoCloseable {
  private final CopyPlan plan;
  private final CopyProcess sender;
  private final @Nullable CuttingProxy proxy;
  private final CopyProcess receiver;

  private CopySides(
      CopyPlan plan, CopyProcess sender, @Nullable CuttingProxy proxy, CopyProcess receiver) {
    this.plan = plan;
    this.sender = sender;
    this.proxy = proxy;
    this.receiver = receiver;
  }

  /**
   * Starts them; they are ready when this returns.
   *
   * @throws IOException if one does not start
   */
  static CopySides start(CopyPlan plan, CopyPlan.Load load) throws IOException {
    Files.createDirectories(load.target());
    CopyProcess sender = CopyProcess.start(sender(plan, load), load.folder());
    CuttingProxy proxy = null;
    CopyProcess receiver = null;
    try {
      int port =
          plan.peer() == Peer.NGINX
              ? load.nginxPort()
              : Integer.parseInt(sender.next("ready ").get(1));
      if (load.copies().cutMillis() > 0) {
        proxy = CuttingProxy.start(port, load.copies().cutMillis());
        port = proxy.port();
      }
      receiver = CopyProcess.start(receiver(plan, load, port), load.folder());
      receiver.next("ready");
      return new CopySides(plan, sender, proxy, receiver);
    } catch (IOException | RuntimeException notStarted) {
      close(receiver, proxy, sender);
      throw notStarted;
    }
  }

  CopyProcess sender() {
    return sender;
  }

  CopyProcess receiver() {
    return receiver;
  }

  /** What they have held, and what has failed. */
  Map<String, @Nullable Object> figures() throws IOException {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("senderPeakRssBytes", sender.peakRssBytes());
    row.put("receiverPeakRssBytes", receiver.peakRssBytes());
    row.put("cuts", proxy == null ? 0 : proxy.cuts());
    if (plan.peer().isC() || plan.peer() == Peer.NGINX) {
      row.put("senderPoolBytes", 0);
      return row;
    }
    sender.say("figures");
    List<String> figures = sender.next("figures ");
    row.put("senderPoolBytes", Long.parseLong(figures.get(1)));
    row.put("senderFailure", String.join(" ", figures.subList(2, figures.size())));
    return row;
  }

  private static List<String> sender(CopyPlan plan, CopyPlan.Load load) throws IOException {
    if (plan.peer().isC()) {
      return List.of(program(load), "send", load.container().resolve("0").toString());
    }
    if (plan.peer() == Peer.NGINX) {
      Path settings = Workshop.nginx(load.folder(), load.container(), load.nginxPort(), plan.tls());
      return List.of("nginx", "-c", settings.toString(), "-p", load.folder().toString());
    }
    return java(SenderMain.class, CopyTask.of(plan, load, load.container(), 0));
  }

  private static List<String> receiver(CopyPlan plan, CopyPlan.Load load, int port) {
    if (plan.peer().isC()) {
      return List.of(
          program(load),
          "receive",
          Integer.toString(port),
          load.first().resolve("copy").toString(),
          Long.toString(load.bytes()),
          Integer.toString(plan.connections()),
          plan.peer() == Peer.C_CRC ? "1" : "0");
    }
    return java(ReceiverMain.class, CopyTask.of(plan, load, load.target(), port));
  }

  private static String program(CopyPlan.Load load) {
    if (load.program() == null) {
      throw new IllegalStateException("there is no C compiler here");
    }
    return load.program().toString();
  }

  private static List<String> java(Class<?> main, CopyTask task) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ServiceFlags.within(task.load().directBytes()));
    command.removeIf(flag -> flag.equals("-XX:+AlwaysPreTouch") || flag.startsWith("-Xms"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(task.words());
    return command;
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static void close(
      @Nullable CopyProcess receiver, @Nullable CuttingProxy proxy, CopyProcess sender)
      throws IOException {
    try (sender;
        proxy;
        receiver) {
      // Closed in the other order: who receives, what is between, who sends.
    }
  }

  @Override
  public void close() throws IOException {
    close(receiver, proxy, sender);
  }
}
