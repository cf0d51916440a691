package dev.weir.objects.s3;

import static dev.weir.streams.objects.Outcomes.await;
import static dev.weir.streams.objects.Outcomes.nativeBytes;
import static dev.weir.streams.objects.Outcomes.put;
import static dev.weir.streams.objects.Outcomes.read;
import static dev.weir.streams.objects.Outcomes.target;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.objects.s3.testing.FakeS3;
import dev.weir.objects.s3.testing.TestKeys;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.PutCondition;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Over TLS, with the certificates that the JVM trusts. */
class S3OverTlsTest {
  private static final String TRUST_STORE = "javax.net.ssl.trustStore";
  private static final String TRUST_PASSWORD = "javax.net.ssl.trustStorePassword";

  @TempDir Path folder;
  private FakeS3 service;

  @BeforeEach
  void open() throws Exception {
    TestKeys keys = TestKeys.create(folder);
    service = new FakeS3(keys.server());
    System.setProperty(TRUST_STORE, keys.file().toString());
    System.setProperty(TRUST_PASSWORD, TestKeys.PASSWORD);
  }

  @AfterEach
  void close() {
    System.clearProperty(TRUST_STORE);
    System.clearProperty(TRUST_PASSWORD);
    service.close();
  }

  private S3ObjectStore open(String host) throws Exception {
    return S3ObjectStore.open(
        S3Options.of(URI.create("s3://bucket"))
            .withEndpoint(URI.create("https://" + host + ":" + service.endpoint().getPort()))
            .withCredentials("key", "secret"));
  }

  @Test
  void objectsPassWhole() throws Exception {
    try (S3ObjectStore store = open("localhost")) {
      put(store, "empty", new byte[0], PutCondition.ifAbsent());
      assertThat(read(store, "empty", 0, 0)).isEmpty();
      for (int length : new int[] {1, 100_000, 20 << 20}) {
        MemorySegment bytes = nativeBytes(1, length);
        String key = "a" + length;
        await(store.put(key, ObjectContent.of(bytes), PutCondition.ifAbsent()));
        MemorySegment target = target(length);
        await(store.read(key, null, 0, target));
        assertThat(target.mismatch(bytes)).as(key).isEqualTo(-1);
      }
    }
    assertThat(service.seen())
        .filteredOn(request -> request.method().equals("PUT"))
        .allMatch(request -> "UNSIGNED-PAYLOAD".equals(request.header("x-amz-content-sha256")));
  }

  @Test
  void aCertificateOfAnotherNameIsRefused() {
    assertThatThrownBy(() -> open("127.0.0.1"))
        .isInstanceOf(ObjectStoreException.class)
        .isNotInstanceOf(UnsafeStoreException.class);
    assertThat(service.seen()).isEmpty();
  }

  @Test
  void aCertificateThatNobodyTrustsIsRefused() {
    System.clearProperty(TRUST_STORE);

    assertThatThrownBy(() -> open("localhost")).isInstanceOf(ObjectStoreException.class);
    assertThat(service.seen()).isEmpty();
  }
}
