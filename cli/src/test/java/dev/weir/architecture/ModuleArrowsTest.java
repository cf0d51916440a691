package dev.weir.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Dependencies between modules point down, as the picture in ARCHITECTURE.md draws them. */
class ModuleArrowsTest {
  /** Each module, with the modules it may use. */
  private static final Map<String, Set<String>> ARROWS =
      Map.ofEntries(
          Map.entry("memory", Set.of()),
          Map.entry("cache", Set.of("memory")),
          Map.entry("micrometer", Set.of("cache", "netty", "memory")),
          Map.entry("netty", Set.of("memory")),
          Map.entry("compression", Set.of("netty", "memory")),
          Map.entry("streams", Set.of("cache", "memory")),
          Map.entry("objects", Set.of("streams")),
          Map.entry(
              "server",
              Set.of(
                  "streams", "objects", "replication", "cache", "compression", "netty", "memory")),
          Map.entry("replication", Set.of("netty", "memory")),
          Map.entry("lab", Set.of("cache", "compression", "replication", "netty", "memory")),
          Map.entry("benchmarks", Set.of("lab", "compression", "netty", "micrometer", "memory")),
          Map.entry(
              "cli", Set.of("server", "replication", "streams", "objects", "lab", "benchmarks")));

  static Stream<String> modules() {
    return ARROWS.keySet().stream().sorted();
  }

  @Test
  void everyModuleHasItsArrows() {
    Set<String> found =
        WeirClasses.MAIN.stream()
            .map(type -> type.getPackageName().split("\\.")[2])
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(found).containsExactlyInAnyOrderElementsOf(ARROWS.keySet());
  }

  @ParameterizedTest
  @MethodSource("modules")
  void aModuleUsesOnlyWhatLiesBelowIt(String module) {
    Set<String> forbidden = new TreeSet<>(ARROWS.keySet());
    forbidden.remove(module);
    forbidden.removeAll(ARROWS.get(module));

    Stream<JavaClass> targets =
        WeirClasses.MAIN.stream()
            .filter(type -> in(type, module))
            .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
            .map(dependency -> dependency.getTargetClass().getBaseComponentType());

    assertThat(targets.filter(type -> forbidden.stream().anyMatch(above -> in(type, above))))
        .as("what %s uses and may not: it may use %s", module, ARROWS.get(module))
        .isEmpty();
  }

  @Test
  void memoryUsesNothingButTheJdk() {
    classes()
        .that()
        .resideInAPackage("dev.weir.memory..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.weir.memory..", "java..", "javax.management..", "jdk.jfr..", "org.jspecify..")
        .check(WeirClasses.MAIN);
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.weir.(**)").should().beFreeOfCycles().check(WeirClasses.MAIN);
  }

  private static boolean in(JavaClass type, String module) {
    return (type.getPackageName() + ".").startsWith("dev.weir." + module + ".");
  }
}
