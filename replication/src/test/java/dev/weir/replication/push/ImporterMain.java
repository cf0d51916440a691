package dev.weir.replication.push;

import dev.weir.replication.testing.TestServer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A server that takes imports, in a process of its own, which a test kills: says its port. */
final class ImporterMain {
  private ImporterMain() {}

  public static void main(String[] args) throws Exception {
    TestServer server = TestServer.importing(Path.of(args[0]));
    System.out.println(server.port());
    new CountDownLatch(1).await();
  }
}
