find_package(nlohmann_json REQUIRED)
target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/apps/shoal-fly/read_problem.cpp)
target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/apps/shoal-fly)
target_link_libraries(${name} PRIVATE nlohmann_json::nlohmann_json)
