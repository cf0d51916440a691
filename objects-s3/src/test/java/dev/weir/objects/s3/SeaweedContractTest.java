package dev.weir.objects.s3;

import dev.weir.objects.s3.testing.Weed;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.ObjectStoreContract;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The contract over SeaweedFS; for those who say where it is: {@code -Dweir.weed}. */
@Tag("weed")
class SeaweedContractTest extends ObjectStoreContract {
  @TempDir private static Path data;

  private static Weed service;

  @BeforeAll
  static void startService() throws Exception {
    service = Weed.start(data, "bucket");
  }

  @AfterAll
  static void stopService() throws Exception {
    service.close();
  }

  @Override
  protected boolean sortsFoldersByBareNames() {
    return true;
  }

  @Override
  protected int bigBytes() {
    return (21 << 20) + 5;
  }

  @Override
  protected ObjectStore open() throws Exception {
    return S3ObjectStore.open(
        S3Options.of(URI.create("s3://bucket/some/prefix"))
            .withEndpoint(service.endpoint())
            .withCredentials("key", "secret")
            .withParts(16L << 20, 5L << 20));
  }
}
