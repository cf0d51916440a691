package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class ServeCommandTest {
  private static Path files;

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "--budget, lots",
    "--budget, 1M",
    "--budget, -5",
    "--budget, 9999G",
    "--budget, 100T",
    "--budget, 99999999999999999999T",
    "--port, 70000",
    "--data, ''",
    "--port, -1",
    "--profile, 1K",
    "--profile, 2G",
    "--profile, on",
    "--hardened, 0",
    "--hardened, on",
    "--leak-age, 0",
    "--leak-age, 90000",
    "--event-loops, 0",
    "--event-loops, 1025",
    "--event-loops, many",
    "--send-buffer, 65M",
    "--send-buffer, big",
    "--port, http",
    "--transport, kqueue",
    "--compression, lz4",
    "--compression, ''",
    "--compression, zstd:0",
    "--compression, zstd:fast",
    "--compression, gzip:10",
    "--compression, br:7",
    "--compression, 'gzip,gzip'",
    "--compression, 'off,gzip'",
    "--allow-host, ''",
    "--allow-host, 'a b'",
    "--allow-host, 'a:80'",
    "--allow-host, 'https://a'",
    "--allow-origin, a",
    "--allow-origin, 'null'",
    "--allow-origin, 'https://a/path'",
    "--connections-per-address, -1",
    "--connections-per-address, many",
    "--tls-provider, openssl",
    "--tls-provider, jdk",
    "--tls-cert, cert.pem",
    "--tls-key, key.pem",
    "--replicate-listen, 4438",
    "--replicate-budget, 64M",
    "--replicate-rate, 100M",
    "--replicate-tls-cert, cert.pem",
    "--replicate-client-ca, ca.pem"
  })
  void aBadFlagIsNamedAndTheExitCodeIsTwo(String flag, String value) {
    StringWriter err = new StringWriter();
    int status = run(err, "--data", directory.toString(), flag, value);
    assertThat(status).isEqualTo(2);
    assertThat(err.toString().lines().findFirst())
        .hasValueSatisfying(line -> assertThat(line).contains(flag));
  }

  static List<Arguments> badFiles() {
    return List.of(
        Arguments.of("none.pem", "key.pem", "none.pem does not exist"),
        Arguments.of("cert.pem", "none.pem", "none.pem does not exist"),
        Arguments.of("keys", "key.pem", "keys is a directory"),
        Arguments.of("garbage.pem", "key.pem", "garbage.pem holds no certificate"),
        Arguments.of("broken-cert.pem", "key.pem", "broken-cert.pem holds no valid certificate"),
        Arguments.of("key.pem", "key.pem", "key.pem holds no certificate in PEM"),
        Arguments.of("cert.pem", "garbage.pem", "garbage.pem holds no key in PEM"),
        Arguments.of("cert.pem", "broken-key.pem", "broken-key.pem holds no valid key"),
        Arguments.of("cert.pem", "rsa.pem", "rsa.pem holds no valid key of the certificate's kind"),
        Arguments.of("cert.pem", "other.pem", "other.pem is not the key of"),
        Arguments.of("cert.pem", "old.pem", "openssl pkcs8 -topk8"),
        Arguments.of("cert.pem", "locked.pem", "is encrypted"));
  }

  /** Files of every kind that there may be in the place of the right ones. */
  @BeforeAll
  static void writeFiles(@TempDir Path directory) throws Exception {
    files = directory;
    TestCertificate own = TestCertificate.create(directory.resolve("keys"));
    Files.copy(own.certificate(), directory.resolve("cert.pem"));
    Files.copy(own.key(), directory.resolve("key.pem"));
    Files.copy(
        TestCertificate.create(directory.resolve("others")).key(), directory.resolve("other.pem"));
    Files.copy(
        TestCertificate.create(directory.resolve("rsas"), "RSA -keysize 2048").key(),
        directory.resolve("rsa.pem"));
    Files.write(directory.resolve("garbage.pem"), new byte[] {1, 2, 3, (byte) 200});
    TestCertificate.write(directory.resolve("broken-cert.pem"), "CERTIFICATE", new byte[100]);
    TestCertificate.write(directory.resolve("broken-key.pem"), "PRIVATE KEY", new byte[100]);
    TestCertificate.write(directory.resolve("old.pem"), "EC PRIVATE KEY", new byte[100]);
    TestCertificate.write(directory.resolve("locked.pem"), "ENCRYPTED PRIVATE KEY", new byte[100]);
  }

  @ParameterizedTest
  @MethodSource("badFiles")
  void aCertificateOrKeyThatIsNoneIsSaidInOneLine(String certificate, String key, String reason)
      throws Exception {
    StringWriter err = new StringWriter();
    int status =
        run(
            err,
            "--port",
            "0",
            "--data",
            directory.resolve("data").toString(),
            "--tls-cert",
            files.resolve(certificate).toString(),
            "--tls-key",
            files.resolve(key).toString());

    assertThat(status).isEqualTo(1);
    assertThat(err.toString()).hasLineCount(1).contains(reason);
  }

  @Test
  void aNodeSaysThatItServesHttps() throws Exception {
    TestCertificate own = TestCertificate.create(directory.resolve("keys"), "RSA -keysize 2048");
    Process node =
        NodeProcess.launch(
            "--port",
            "0",
            "--data",
            directory.resolve("data").toString(),
            "--transport",
            "io_uring",
            "--tls-cert",
            own.certificate().toString(),
            "--tls-key",
            own.key().toString());
    try (BufferedReader out = node.inputReader()) {
      assertThat(out.lines().filter(line -> line.contains("listening")).findFirst())
          .hasValueSatisfying(line -> assertThat(line).contains("https://127.0.0.1:"));
    } finally {
      node.destroyForcibly();
    }
  }

  @Test
  void aBudgetOutOfRangeIsSaidAsItWasGiven() {
    StringWriter err = new StringWriter();
    run(err, "--data", directory.toString(), "--budget", "0");
    assertThat(err.toString()).contains("0 bytes is too small: it must be in 16M..1T");
  }

  @Test
  void aPortInUseIsSaidInOneLine() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      StringWriter err = new StringWriter();
      assertThat(run(err, "--port", port, "--data", directory.toString())).isEqualTo(1);
      assertThat(err.toString()).hasLineCount(1).contains("port " + port).contains("--port");
    }
  }

  @Test
  void aPortOfCopiesInUseIsSaidInOneLine() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String listen = "127.0.0.1:" + taken.getLocalPort();
      StringWriter err = new StringWriter();
      String data = directory.toString();
      assertThat(run(err, "--port", "0", "--data", data, "--replicate-listen", listen))
          .isEqualTo(1);
      assertThat(err.toString()).hasLineCount(1).contains(listen).contains("--replicate-listen");
    }
  }

  @Test
  void aStoreInABucketIsNotOfferedForCopies() {
    StringWriter err = new StringWriter();
    assertThat(run(err, "--store", "s3://bucket/weir", "--replicate-listen", "127.0.0.1:0"))
        .isEqualTo(2);
    assertThat(err.toString().lines().findFirst())
        .hasValueSatisfying(line -> assertThat(line).contains("is copied by its bucket"));
  }

  @Test
  void aDataDirectoryThatIsAFileIsSaidInOneLine() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    StringWriter err = new StringWriter();
    assertThat(run(err, "--port", "0", "--data", file.toString())).isEqualTo(1);
    assertThat(err.toString()).hasLineCount(1).contains(file + " is a file").contains("--data");
  }

  @Test
  void aDataDirectoryInUseIsSaidInOneLine() throws Exception {
    try (NodeFixture fixture = new NodeFixture(directory)) {
      StringWriter err = new StringWriter();
      assertThat(run(err, "--port", "0", "--data", directory.toString())).isEqualTo(1);
      assertThat(err.toString()).hasLineCount(1).contains("in use by another node");
      assertThat(fixture.send("PUT", "a", "text/plain", "").statusCode()).isEqualTo(201);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "64k, 65536",
    "256M, 268435456",
    "1G, 1073741824",
    "2gib, 2147483648",
    "3T, 3298534883328"
  })
  void sizesAreRead(String text, long bytes) {
    assertThat(ByteSize.parse(text).bytes()).isEqualTo(bytes);
  }

  private static int run(StringWriter err, String... arguments) {
    return new CommandLine(new ServeCommand())
        .setErr(new PrintWriter(err, /* autoFlush= */ true))
        .execute(arguments);
  }
}
